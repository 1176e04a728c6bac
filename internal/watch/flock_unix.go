//go:build linux || darwin || freebsd

package watch

import (
	"genlock.dev/genlock/internal/vfs"
	"golang.org/x/sys/unix"
)

const supported = true

// duplicate returns another descriptor of the same open file.
func duplicate(fd uintptr) (int, error) { return unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) }

func closeDescriptor(fd int) { unix.Close(fd) }

// flock blocks its thread until the lock is granted. The descriptor must stay open
// meanwhile: see place.
func flock(fd int, how vfs.LockMode) error {
	op := unix.LOCK_SH
	if how == vfs.Exclusive {
		op = unix.LOCK_EX
	}
	for {
		if err := unix.Flock(fd, op); err != unix.EINTR {
			return err
		}
	}
}
