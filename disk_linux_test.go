package genlock_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// smallDisk mounts a file system with the given tmpfs options.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	needRoot(t)
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, options); err != nil {
		t.Skip("cannot mount a tmpfs: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill uses up all blocks or inodes of dir and returns what gives some back.
func fill(t *testing.T, dir string, inodes bool) (free func()) {
	t.Helper()
	var made []string
	for i := 0; ; i++ {
		path := filepath.Join(dir, fmt.Sprint("filler", i))
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		var data []byte
		if !inodes {
			data = make([]byte, 4096)
		}
		err := os.WriteFile(path, data, 0o666)
		if errors.Is(err, syscall.ENOSPC) {
			os.Remove(path)
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, path)
	}
	return func() {
		for _, path := range made {
			os.Remove(path)
		}
	}
}

// TestFullDisk: a full disk is reported as itself and at once, before anything is
// held; what is held can still be released (rules 7 and 9).
func TestFullDisk(t *testing.T) {
	for name, inodes := range map[string]bool{"size=64k": false, "nr_inodes=40": true} {
		t.Run(name, func(t *testing.T) {
			dir := smallDisk(t, name)
			lock := genlock.New(filepath.Join(dir, "k.lock"), nil)

			free := fill(t, dir, inodes)
			if _, err := lock.Acquire(t.Context()); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("new key on a full disk: %v, want no space", err)
			}
			free()
			lease := acquire(t, lock)

			free = fill(t, dir, inodes)
			if err := lease.Failed(1, "no space"); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("note on a full disk: %v, want no space", err)
			}
			if err := lease.Release(); err != nil {
				t.Errorf("release on a full disk: %v", err)
			}
			more := fill(t, dir, inodes) // what the release gave back
			if _, err := lock.Acquire(t.Context()); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("known key on a full disk: %v, want no space", err)
			}
			if seen, err := lock.Status(t.Context()); err != nil || seen.State != observer.Free {
				t.Errorf("status on a full disk: %s, %v; want free", seen.State, err)
			}
			free()
			more()
			if err := acquire(t, lock).Release(); err != nil {
				t.Error(err)
			}
			if err := leftovers(lock); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFullDiskWithClaim: with a claim of somebody else the tombstone has to stay, and
// saying that the holder is done needs no space.
func TestFullDiskWithClaim(t *testing.T) {
	dir := smallDisk(t, "size=128k")
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	lease := acquire(t, lock)
	root, err := fence.Open(t.Context(), lock.Path(), protocol.Genlock)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := fence.Claim(t.Context(), root, lease.Generation())
	if err != nil {
		t.Fatal(err)
	}
	free := fill(t, dir, false)
	if err := lease.Release(); err != nil {
		t.Errorf("release on a full disk: %v", err)
	}
	free()
	if err := f.Withdraw(); err != nil {
		t.Error(err)
	}
	if err := leftovers(lock); err != nil {
		t.Error(err)
	}
}

// TestReadOnly: a read-only file system is reported as itself, at once. Looking and
// adopting still work.
func TestReadOnly(t *testing.T) {
	dir := smallDisk(t, "size=1m")
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	tool := filepath.Join(dir, "tool")
	if err := os.WriteFile(tool, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := acquire(t, lock).Release(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"k.lock", "new.lock"} {
		_, err := genlock.New(filepath.Join(dir, name), nil).Acquire(t.Context())
		if !errors.Is(err, syscall.EROFS) {
			t.Errorf("acquire %s: %v, want read-only", name, err)
		}
	}
	if seen, err := lock.Status(t.Context()); err != nil || seen.State != observer.Free {
		t.Errorf("status: %s, %v; want free", seen.State, err)
	}
	var b builder
	res, err := lock.Do(t.Context(), genlock.Artifact{Path: tool}, b.build)
	if err != nil || res.How != genlock.Adopted {
		t.Errorf("%v, %v; want adopted", res.How, err)
	}
}

// TestReadOnlyWhileHeld: when the disk turns read-only under a holder, the release
// says so at once, and nothing is wedged once it is writable again.
func TestReadOnlyWhileHeld(t *testing.T) {
	disk := memfs.New(memfs.Options{})
	if err := disk.MkdirAll("/cache", 0o777); err != nil {
		t.Fatal(err)
	}
	e := *env.From(t.Context())
	e.FS = disk.Process()
	ctx := env.With(t.Context(), &e)
	lock := genlock.New("/cache/k.lock", nil)
	lease, err := lock.TryAcquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	disk.SetReadOnly("/cache", true)
	began := time.Now()
	if err := lease.Release(); !errors.Is(err, syscall.EROFS) {
		t.Errorf("release: %v, want read-only", err)
	}
	if took := time.Since(began); took > generation.ReleaseBudget/2 {
		t.Errorf("telling so took %s", took)
	}
	disk.SetReadOnly("/cache", false)
	lease, err = lock.TryAcquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
}

// TestBusyCurrent: a mount point in the place of the generation is reported as what
// the system says, not waited for.
func TestBusyCurrent(t *testing.T) {
	needRoot(t)
	lock := genlock.New(filepath.Join(t.TempDir(), "k.lock"), nil)
	if err := acquire(t, lock).Release(); err != nil {
		t.Fatal(err)
	}
	current := filepath.Join(lock.Path()+protocol.RootSuffix, protocol.CurrentName)
	if err := os.Mkdir(current, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", current, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("cannot mount a tmpfs: ", err)
	}
	defer unix.Unmount(current, unix.MNT_DETACH)
	if _, err := lock.Acquire(t.Context()); !errors.Is(err, syscall.EBUSY) && !errors.Is(err, syscall.EXDEV) {
		t.Errorf("acquire: %v, want busy", err)
	}
}
