package faultfs_test

import (
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/internal/vfs/memfs"
)

// TestRemoveAllTriesAreBounded: a directory that is never found empty, deep below,
// costs a few tries in all, and not a few for each directory above it.
func TestRemoveAllTriesAreBounded(t *testing.T) {
	const depth = 40
	disk := memfs.New(memfs.Options{})
	if err := disk.MkdirAll("/top"+strings.Repeat("/d", depth), 0o755); err != nil {
		t.Fatal(err)
	}
	deepest := "/top" + strings.Repeat("/d", depth)
	tries := 0
	fs := faultfs.Wrap(disk.Process(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if op.Verb == faultfs.Rmdir && op.Path == deepest {
			tries++
			return syscall.ENOTEMPTY
		}
		return nil
	}})
	root, err := fs.OpenDir("/")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := vfs.RemoveAll(root, "top", nil); !vfs.IsNotEmpty(err) {
		t.Errorf("reported %v, want that it is not empty", err)
	}
	if tries < 2 || tries > 20 {
		t.Errorf("tried %d times", tries)
	}
}
