package vfs

import (
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// sysError is an error of Windows that also answers to the errno by which the
// rest of this package knows it. Its text and its number stay those of Windows.
type sysError struct{ syscall.Errno }

var errnoOf = map[syscall.Errno]syscall.Errno{
	windows.ERROR_NOT_SAME_DEVICE:   syscall.EXDEV,
	windows.ERROR_DISK_FULL:         syscall.ENOSPC,
	windows.ERROR_HANDLE_DISK_FULL:  syscall.ENOSPC,
	windows.ERROR_WRITE_PROTECT:     syscall.EROFS,
	windows.ERROR_DIRECTORY:         syscall.ENOTDIR,
	windows.ERROR_DIR_NOT_EMPTY:     syscall.ENOTEMPTY,
	windows.ERROR_SHARING_VIOLATION: syscall.EACCES,
	windows.ERROR_INVALID_HANDLE:    syscall.EBADF,
}

func (e sysError) Unwrap() error { return e.Errno }

// Is makes errors.Is find the errno, and what the errno itself stands for.
func (e sysError) Is(target error) bool {
	known, ok := errnoOf[e.Errno]
	return ok && (known == target || known.Is(target))
}

// failure wraps what a call of Windows returned.
func failure(err error) error {
	if errno, ok := err.(syscall.Errno); ok {
		return sysError{errno}
	}
	return err
}

// wide is the path as the calls of Windows take it. Long ones need a prefix
// that turns their limit of 260 characters off.
func wide(path string) (*uint16, error) {
	const limit = 248 // for directories, which must leave room for a name
	switch {
	case len(path) < limit || strings.HasPrefix(path, `\\?\`):
	case strings.HasPrefix(path, `\\`):
		path = `\\?\UNC` + path[1:]
	case len(path) > 2 && path[1] == ':':
		path = `\\?\` + path
	}
	return windows.UTF16PtrFromString(path)
}
