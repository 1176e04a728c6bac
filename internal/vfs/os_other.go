//go:build !unix && !windows

package vfs

import (
	"errors"
	"syscall"
)

// OS is the file system of the operating system, which this package does not
// know: everything is errors.ErrUnsupported.
func OS() FS { return noFS{} }

type noFS struct{}

func (noFS) OpenDir(path string) (Dir, error) {
	return nil, pathError("open", path, errors.ErrUnsupported)
}

func (noFS) OpenParent(path string) (Dir, error) {
	return nil, pathError("open", path, errors.ErrUnsupported)
}

func (noFS) Lstat(path string) (Info, error) {
	return Info{}, pathError("lstat", path, errors.ErrUnsupported)
}

func (noFS) Rename(oldpath, newpath string, _ RenameFlag) error {
	return linkError("rename", oldpath, newpath, errors.ErrUnsupported)
}

var busyErrnos = []syscall.Errno{syscall.EAGAIN}
