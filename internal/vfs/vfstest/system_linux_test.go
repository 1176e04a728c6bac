package vfstest_test

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/vfstest"
)

// linux adds to system what the suite can ask of Linux.
type linux struct{ system }

var _ interface {
	vfstest.Planter
	vfstest.Impersonator
	vfstest.Inheritor
	vfstest.Neighbour
	vfstest.Limiter
	vfstest.Sealer
} = linux{}

func onThisSystem(s system) vfs.FS { return linux{s} }

// As changes the file-system user of this one thread. The kernel takes the
// superuser's rights on files away with it, and gives them back.
func (l linux) As(uid, gid uint32, umask fs.FileMode, do func(vfs.FS)) error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("user %d is not the superuser", os.Geteuid())
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	old := syscall.Umask(int(umask))
	defer syscall.Umask(old)
	groups, err := unix.Getgroups()
	if err != nil {
		return err
	}
	if err := setThreadGroups(nil); err != nil {
		return err
	}
	defer setThreadGroups(groups)
	setThread(unix.SYS_SETFSGID, gid)
	defer setThread(unix.SYS_SETFSGID, 0)
	setThread(unix.SYS_SETFSUID, uid)
	defer setThread(unix.SYS_SETFSUID, 0)
	if now := setThread(unix.SYS_SETFSUID, uid); now != uid {
		return fmt.Errorf("setfsuid left user %d", now)
	}
	do(l.FS)
	return nil
}

// setThread returns the id before.
func setThread(call uintptr, id uint32) uint32 {
	before, _, _ := unix.RawSyscall(call, uintptr(id), 0, 0)
	return uint32(before)
}

// setThreadGroups is for this thread only, unlike syscall.Setgroups.
func setThreadGroups(groups []int) error {
	list := make([]uint32, len(groups)+1)
	for i, g := range groups {
		list[i] = uint32(g)
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&list[0])), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func (l linux) Limited(t *testing.T, bytes int64, inodes int) (vfs.FS, string) {
	options := fmt.Sprintf("size=%d,nr_inodes=%d", bytes, inodes+1)
	return l.FS, detached(t, func(at string) error { return unix.Mount("tmpfs", at, "tmpfs", 0, options) })
}

func (l linux) Sealed(t *testing.T, fill func(vfs.FS, string)) (vfs.FS, string) {
	return l.FS, detached(t, func(at string) error {
		if err := unix.Mount("tmpfs", at, "tmpfs", 0, "size=1m"); err != nil {
			return err
		}
		fill(l.FS, at)
		return unix.Mount("tmpfs", at, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, "")
	})
}
