package faultfs

import (
	"io/fs"

	"genlock.dev/genlock/internal/vfs"
)

// file is a file under hooks.
type file struct {
	fs    *FS
	inner vfs.File
	path  string
}

// osFile is a file under hooks that can still be handed to a child process.
type osFile struct {
	*file
	vfs.OSFile
}

var (
	_ vfs.File   = (*file)(nil)
	_ vfs.OSFile = osFile{}
)

func wrapFile(f *FS, inner vfs.File, path string) vfs.File {
	wrapped := &file{fs: f, inner: inner, path: path}
	if sys, ok := inner.(vfs.OSFile); ok {
		return osFile{file: wrapped, OSFile: sys}
	}
	return wrapped
}

// Unwrap returns the file below.
func (f *file) Unwrap() vfs.File { return f.inner }

func (f *file) Read(p []byte) (int, error) {
	n := 0
	err := f.fs.run(Op{Verb: Read, Path: f.path}, false, func(limit int) (err error) {
		n, err = f.inner.Read(cut(p, limit))
		return err
	})
	return n, err
}

func (f *file) Write(p []byte) (int, error) {
	return f.write(p, "", f.inner.Write)
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	return f.write(p, "over", func(p []byte) (int, error) { return f.inner.WriteAt(p, off) })
}

// write reports everything as written when it only pretends.
func (f *file) write(p []byte, how string, call func([]byte) (int, error)) (int, error) {
	n, called := 0, false
	err := f.fs.run(Op{Verb: Write, Path: f.path, How: how}, true, func(limit int) (err error) {
		called = true
		n, err = call(cut(p, limit))
		return err
	})
	if err == nil && !called {
		n = len(p)
	}
	return n, err
}

func cut(p []byte, limit int) []byte {
	if limit == unlimited || limit >= len(p) {
		return p
	}
	return p[:limit]
}

func (f *file) Stat() (vfs.Info, error) {
	return f.fs.info(Op{Verb: Stat, Path: f.path}, f.inner.Stat)
}

func (f *file) Chmod(mode fs.FileMode) error {
	return f.fs.act(Op{Verb: Chmod, Path: f.path}, func() error { return f.inner.Chmod(mode) })
}

func (f *file) Flock(how vfs.LockMode) error {
	op := Op{Verb: Flock, Path: f.path, How: lockWord(how)}
	return f.fs.act(op, func() error { return f.inner.Flock(how) })
}

func (f *file) Sync() error {
	return f.fs.act(Op{Verb: Sync, Path: f.path}, f.inner.Sync)
}

func (f *file) Close() error {
	return f.fs.act(Op{Verb: Close, Path: f.path}, f.inner.Close)
}
