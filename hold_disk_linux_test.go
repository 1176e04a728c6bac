package genlock_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock"
)

// TestHoldOnFullDisk: whatever is missing while the old lock is taken, v3's own files
// or the old one's, it is reported as no space, at once, and nothing stays held; what
// is held is released without any.
func TestHoldOnFullDisk(t *testing.T) {
	for _, dialects := range []string{"mkdir", "mkdir,v2", "v2", "token", "heartbeat"} {
		t.Run(dialects, func(t *testing.T) {
			dir := smallDisk(t, "nr_inodes=60")
			options := &genlock.Options{Dialects: dialects, Hold: true}
			refused := 0
			for spare, fits := 0, 0; fits < 2; spare++ {
				lock := genlock.New(filepath.Join(dir, fmt.Sprint("k", spare, ".lock")), options)
				for i := range spare {
					if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("spare", i)), nil, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				free := fill(t, dir, true)
				for i := range spare {
					os.Remove(filepath.Join(dir, fmt.Sprint("spare", i)))
				}
				lease, err := lock.TryAcquire(t.Context())
				switch {
				case err == nil:
					fits++
					more := fill(t, dir, true)
					if err := lease.Release(); err != nil {
						t.Errorf("release with %d inodes: %v", spare, err)
					}
					more()
				case errors.Is(err, syscall.ENOSPC):
					refused++
				default:
					t.Errorf("with %d inodes: %v, want no space", spare, err)
				}
				free()
				if err := acquire(t, lock).Release(); err != nil {
					t.Errorf("afterwards: %v", err)
				}
				if err := os.RemoveAll(lock.Path() + ".v3"); err != nil {
					t.Fatal(err)
				}
				os.RemoveAll(lock.Path() + ".v2")
			}
			t.Logf("refused with up to %d free inodes", refused-1)
			if refused < 5 {
				t.Error("it was never refused for want of the old lock's files")
			}
		})
	}
}

// TestHoldReadOnly: the same for a file system that became read-only.
func TestHoldReadOnly(t *testing.T) {
	for _, dialects := range []string{"mkdir", "v2", "token", "heartbeat"} {
		dir := smallDisk(t, "size=1m")
		lock := genlock.New(filepath.Join(dir, "k.lock"), &genlock.Options{Dialects: dialects, Hold: true})
		if err := acquire(t, lock).Release(); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			t.Skip("cannot make it read-only: ", err)
		}
		if _, err := lock.Acquire(t.Context()); !errors.Is(err, syscall.EROFS) { // without a bound
			t.Errorf("%s: %v, want read-only", dialects, err)
		}
	}
}
