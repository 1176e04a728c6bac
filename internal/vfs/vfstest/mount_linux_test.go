package vfstest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/internal/vfs/vfstest"
)

// detached mounts a file system where only this process sees it: it takes the
// mount out of the tree again and keeps a descriptor. When the process ends, in
// whichever way, the kernel drops the mount and the loop device below it. The
// path it returns leads through the descriptor.
func detached(t *testing.T, mount func(at string) error) string {
	t.Helper()
	at := t.TempDir()
	err := mount(at)
	defer unix.Unmount(at, unix.MNT_DETACH)
	if err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	root, err := os.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return fmt.Sprintf("/proc/self/fd/%d", root.Fd())
}

// image makes a file system in a file and mounts it.
func image(t *testing.T, megabytes int64, mkfs ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting a loop image needs the superuser")
	}
	tool, err := exec.LookPath(mkfs[0])
	if err != nil {
		t.Skipf("%s is not installed", mkfs[0])
	}
	file := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, megabytes<<20); err != nil {
		t.Fatal(err)
	}
	command(t, tool, append(mkfs[1:], file)...)
	return detached(t, func(at string) error {
		out, err := exec.Command("mount", "-o", "loop", file, at).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%v: %s", err, strings.TrimSpace(string(out)))
		}
		return nil
	})
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

// overlay mounts one over a lower layer that holds baked/dir and baked/file.
func overlay(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	for _, dir := range []string{"lower/baked/dir", "upper", "work"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "lower/baked/file"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	options := fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", base)
	return detached(t, func(at string) error { return unix.Mount("overlay", at, "overlay", 0, options) })
}

// fileSystems are those on which the suite runs, where they can be had.
var fileSystems = []struct {
	name string
	root func(t *testing.T) string
}{
	{"tmpfs", tmpfs},
	{"ext4", func(t *testing.T) string { return image(t, 16, "mkfs.ext4", "-q", "-F") }},
	{"xfs", func(t *testing.T) string { return image(t, 300, "mkfs.xfs", "-q") }},
	{"btrfs", func(t *testing.T) string { return image(t, 128, "mkfs.btrfs", "-q") }},
	{"overlay", overlay},
}

func tmpfs(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "vfstest")
	if err != nil {
		t.Skipf("no tmpfs at /dev/shm: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFileSystems(t *testing.T) {
	for _, f := range fileSystems {
		t.Run(f.name, func(t *testing.T) {
			root := f.root(t)
			d, err := vfs.OS().OpenParent(root)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if kind, err := d.Kind(); err != nil || kind != (vfs.Kind{Name: f.name, Local: true}) {
				t.Errorf("kind %+v, %v", kind, err)
			}
			vfstest.Run(t, newSystem(root, tempDir(t), "/dev/shm"))
		})
	}
}

// The model agrees with every file system over random operations.
func TestFileSystemsAgainstModel(t *testing.T) {
	for _, f := range fileSystems {
		t.Run(f.name, func(t *testing.T) {
			opt := memfs.Options{}
			if f.name == "xfs" {
				opt.NotEmpty = unix.EEXIST
			}
			root := f.root(t)
			for seed := range uint64(10) {
				vfstest.Compare(t, newSystem(root), newModel(opt, bare), seed, 1000)
			}
		})
	}
}

// What comes from a lower layer cannot be renamed, as memfs.MarkLower has it.
func TestOverlayLowerLayer(t *testing.T) {
	baked, err := vfs.OS().OpenDir(overlay(t) + "/baked")
	if err != nil {
		t.Fatal(err)
	}
	defer baked.Close()
	if err := baked.Rename("dir", baked, "x", vfs.Plain); !vfs.IsCrossDevice(err) {
		t.Errorf("rename of a lower directory: %v", err)
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"rename of a lower file", func() error { return baked.Rename("file", baked, "moved", vfs.Plain) }},
		{"rmdir of a lower directory", func() error { return baked.Rmdir("dir") }},
		{"mkdir in its place", func() error { return baked.Mkdir("dir", 0o755) }},
		{"rename of that", func() error { return baked.Rename("dir", baked, "x", vfs.Plain) }},
	} {
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.what, err)
		}
	}
}
