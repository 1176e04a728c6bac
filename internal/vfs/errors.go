package vfs

import (
	"errors"
	"io/fs"
	"syscall"
)

// IsBusy tells whether a Flock failed because somebody else holds the lock, and
// for no other reason: ENOLCK, ENOSYS or EIO are never "held by someone".
func IsBusy(err error) bool { return isErrno(err, busyErrnos) }

// IsNotEmpty tells whether a rename or rmdir failed because the target directory
// has entries: ENOTEMPTY, or EEXIST as on xfs.
func IsNotEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist)
}

// IsNotDir tells whether something other than a real directory stands in a
// directory's place.
func IsNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// IsVanished tells whether the object is no longer there: ENOENT, or ESTALE,
// by which network file systems say the same. Both mean "look again" (rule 9).
func IsVanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESTALE)
}

// IsUnsupported tells whether the file system cannot do this at all.
func IsUnsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}

// IsNoSpace tells whether the disk, the quota or the inodes are used up.
func IsNoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// IsReadOnly tells whether the file system refuses all writes.
func IsReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// IsCrossDevice tells whether a rename would have left its file system.
func IsCrossDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }

func isErrno(err error, list []syscall.Errno) bool {
	for _, e := range list {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
