package faultfs

import (
	"io/fs"
	"path/filepath"

	"genlock.dev/genlock/internal/vfs"
)

// dir is a directory under hooks.
type dir struct {
	fs    *FS
	inner vfs.Dir
}

// osDir is a directory under hooks that can still be watched.
type osDir struct {
	*dir
	vfs.OSFile
}

var (
	_ vfs.Dir    = (*dir)(nil)
	_ vfs.OSFile = osDir{}
)

func wrapDir(f *FS, inner vfs.Dir) vfs.Dir {
	wrapped := &dir{fs: f, inner: inner}
	if sys, ok := inner.(vfs.OSFile); ok {
		return osDir{dir: wrapped, OSFile: sys}
	}
	return wrapped
}

// below is the directory that is wrapped in to.
func below(to vfs.Dir) vfs.Dir {
	if wrapped, ok := to.(interface{ Unwrap() vfs.Dir }); ok {
		return wrapped.Unwrap()
	}
	return to
}

func (d *dir) join(name string) string { return filepath.Join(d.inner.Path(), name) }

// Unwrap returns the directory below.
func (d *dir) Unwrap() vfs.Dir { return d.inner }

func (d *dir) Path() string { return d.inner.Path() }

func (d *dir) OpenDir(name string) (vfs.Dir, error) {
	return d.fs.openDir(Op{Verb: OpenDir, Path: d.join(name)}, func() (vfs.Dir, error) { return d.inner.OpenDir(name) })
}

func (d *dir) Mkdir(name string, mode fs.FileMode) error {
	return d.fs.act(Op{Verb: Mkdir, Path: d.join(name)}, func() error { return d.inner.Mkdir(name, mode) })
}

func (d *dir) Open(name string, how vfs.OpenFlag, mode fs.FileMode) (vfs.File, error) {
	op := Op{Verb: Open, Path: d.join(name)}
	switch how {
	case vfs.Create:
		op.Verb = Create
	case vfs.ReadWrite:
		op.How = "rw"
	case vfs.Truncate:
		op.How = "truncate"
	}
	var inner vfs.File
	err := d.fs.do(op, func() (err error) {
		inner, err = d.inner.Open(name, how, mode)
		return err
	})
	if err == nil {
		return wrapFile(d.fs, inner, op.Path), nil
	}
	if inner != nil {
		inner.Close()
	}
	return nil, err
}

func (d *dir) Lstat(name string) (vfs.Info, error) {
	return d.fs.info(Op{Verb: Lstat, Path: d.join(name)}, func() (vfs.Info, error) { return d.inner.Lstat(name) })
}

func (d *dir) Stat() (vfs.Info, error) {
	return d.fs.info(Op{Verb: Stat, Path: d.Path()}, d.inner.Stat)
}

func (d *dir) Chmod(mode fs.FileMode) error {
	return d.fs.act(Op{Verb: Chmod, Path: d.Path()}, func() error { return d.inner.Chmod(mode) })
}

// Rename hands the directory below to the file system below, which knows no
// other.
func (d *dir) Rename(name string, to vfs.Dir, newname string, how vfs.RenameFlag) error {
	op := Op{Verb: Rename, Path: d.join(name), To: filepath.Join(to.Path(), newname), How: renameWord(how)}
	return d.fs.act(op, func() error { return d.inner.Rename(name, below(to), newname, how) })
}

func (d *dir) Remove(name string) error {
	return d.fs.act(Op{Verb: Remove, Path: d.join(name)}, func() error { return d.inner.Remove(name) })
}

func (d *dir) Rmdir(name string) error {
	return d.fs.act(Op{Verb: Rmdir, Path: d.join(name)}, func() error { return d.inner.Rmdir(name) })
}

// Names reports the names it has with the error, as reading a directory that
// breaks off does.
func (d *dir) Names(max int) ([]string, error) {
	var names []string
	err := d.fs.run(Op{Verb: Names, Path: d.Path()}, false, func(limit int) (err error) {
		names, err = d.inner.Names(max)
		if limit != unlimited && limit < len(names) {
			names = names[:limit]
		}
		return err
	})
	return names, err
}

func (d *dir) Kind() (vfs.Kind, error) {
	var kind vfs.Kind
	err := d.fs.do(Op{Verb: Kind, Path: d.Path()}, func() (err error) {
		kind, err = d.inner.Kind()
		return err
	})
	if err != nil {
		return vfs.Kind{}, err
	}
	return kind, nil
}

func (d *dir) Close() error {
	return d.fs.act(Op{Verb: Close, Path: d.Path()}, d.inner.Close)
}
