//go:build unix

package vfstest_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/vfstest"
)

// system is the operating system as the suite wants it. What only Linux can do
// is in system_linux_test.go.
type system struct {
	vfs.FS
	other string
}

func (system) Symlink(target, path string) error { return os.Symlink(target, path) }

func (system) Fifo(path string) error { return unix.Mkfifo(path, 0o600) }

// Inherit duplicates the descriptor, which the kernel treats as what a child
// gets.
func (system) Inherit(f vfs.File) (func() error, error) {
	sys, ok := f.(vfs.OSFile)
	if !ok {
		return nil, errors.New("not a file of the operating system")
	}
	fd, err := unix.FcntlInt(sys.Descriptor(), unix.F_DUPFD_CLOEXEC, 100)
	return func() error { return unix.Close(fd) }, err
}

func (s system) OtherDevice() string { return s.other }

// newSystem makes a directory below parent for each case, and finds another
// device among the others.
func newSystem(parent string, others ...string) func(t *testing.T) (vfs.FS, string) {
	return func(t *testing.T) (vfs.FS, string) {
		dir, err := os.MkdirTemp(parent, "case")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		return onThisSystem(system{FS: vfs.OS(), other: otherDevice(dir, others)}), dir
	}
}

func otherDevice(dir string, others []string) string {
	for _, other := range others {
		if device(other) != 0 && device(other) != device(dir) {
			return other
		}
	}
	return ""
}

func device(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return uint64(info.Sys().(*syscall.Stat_t).Dev)
}

// tempDir is t.TempDir, reachable for other users.
func tempDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTempDir(t *testing.T) {
	vfstest.Run(t, newSystem(tempDir(t), "/dev/shm", "/run", "/"))
}
