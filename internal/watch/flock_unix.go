//go:build linux || darwin || freebsd

package watch

import (
	"genlock.dev/genlock/internal/vfs"
	"golang.org/x/sys/unix"
)

const supported = true

// flock blocks its thread until the lock is granted. The descriptor must stay open
// meanwhile: see place.
func flock(fd uintptr, how vfs.LockMode) error {
	op := unix.LOCK_SH
	if how == vfs.Exclusive {
		op = unix.LOCK_EX
	}
	for {
		if err := unix.Flock(int(fd), op); err != unix.EINTR {
			return err
		}
	}
}
