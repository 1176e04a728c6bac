// Package faultfs wraps a vfs.FS so that a test sees every single operation
// before it happens, and can make it fail, half happen, or happen and be
// reported as failed.
//
// Only what package vfs calls an operation is seen, each exactly once. What an
// implementation does inside, such as repeating a call after EINTR, is not.
package faultfs

import (
	"sync/atomic"

	"genlock.dev/genlock/internal/vfs"
)

// Hooks are called around every operation. Both may be nil. They may be called
// from several goroutines at once and hold nothing up but the operation: they
// may block, kill the process whose operation it is, or end the goroutine.
type Hooks struct {
	// Before decides what becomes of the operation. Nil lets it happen. An
	// error made by Happened, Partial or Pretend does what is said there.
	// Any other error is reported instead of doing anything; a bare errno is
	// put into the *fs.PathError or *os.LinkError that callers expect.
	//
	// A Close always happens, whatever is reported: the kernel closes the
	// descriptor even when it says EIO.
	Before func(op Op) error
	// After sees what the caller will see.
	After func(op Op, err error)
}

// FS is a vfs.FS under hooks. Directories and files opened through it are under
// the same hooks and counted together.
type FS struct {
	inner vfs.FS
	hooks Hooks
	count atomic.Int64
}

var _ vfs.FS = (*FS)(nil)

// Wrap puts hooks around inner.
func Wrap(inner vfs.FS, hooks Hooks) *FS { return &FS{inner: inner, hooks: hooks} }

// Count is how many operations have begun.
func (f *FS) Count() int { return int(f.count.Load()) }

// Unwrap returns the file system below.
func (f *FS) Unwrap() vfs.FS { return f.inner }

// OpenDir implements vfs.FS.
func (f *FS) OpenDir(path string) (vfs.Dir, error) {
	return f.openDir(Op{Verb: OpenDir, Path: path}, func() (vfs.Dir, error) { return f.inner.OpenDir(path) })
}

// OpenParent implements vfs.FS.
func (f *FS) OpenParent(path string) (vfs.Dir, error) {
	return f.openDir(Op{Verb: OpenParent, Path: path}, func() (vfs.Dir, error) { return f.inner.OpenParent(path) })
}

// openDir closes what was opened when failure is reported all the same.
func (f *FS) openDir(op Op, open func() (vfs.Dir, error)) (vfs.Dir, error) {
	var inner vfs.Dir
	err := f.do(op, func() (err error) {
		inner, err = open()
		return err
	})
	if err == nil {
		return wrapDir(f, inner), nil
	}
	if inner != nil {
		inner.Close()
	}
	return nil, err
}

// Lstat implements vfs.FS.
func (f *FS) Lstat(path string) (vfs.Info, error) {
	return f.info(Op{Verb: Lstat, Path: path}, func() (vfs.Info, error) { return f.inner.Lstat(path) })
}

func (f *FS) info(op Op, get func() (vfs.Info, error)) (vfs.Info, error) {
	var info vfs.Info
	err := f.do(op, func() (err error) {
		info, err = get()
		return err
	})
	if err != nil {
		return vfs.Info{}, err
	}
	return info, nil
}

// Rename implements vfs.FS.
func (f *FS) Rename(oldpath, newpath string, how vfs.RenameFlag) error {
	op := Op{Verb: Rename, Path: oldpath, To: newpath, How: renameWord(how)}
	return f.act(op, func() error { return f.inner.Rename(oldpath, newpath, how) })
}
