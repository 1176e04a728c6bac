package faultfs_test

import (
	"testing"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
)

// every performs each verb at least once, in one fixed order, and stops at the
// first error after closing what it has open.
func every(under vfs.FS) (err error) {
	root, err := under.OpenParent("/")
	if err != nil {
		return err
	}
	defer closing(root, &err)
	if err := root.Mkdir("d", 0o755); err != nil {
		return err
	}
	d, err := under.OpenDir("/d")
	if err != nil {
		return err
	}
	defer closing(d, &err)
	f, err := d.Open("file", vfs.Create, 0o644)
	if err != nil {
		return err
	}
	defer closing(f, &err)
	buf := make([]byte, 8)
	for _, step := range []func() error{
		func() error { return f.Flock(vfs.Exclusive) },
		func() error { return second(f.Write([]byte("data"))) },
		f.Sync,
		func() error { return f.Chmod(0o600) },
		func() error { return second(f.Stat()) },
		func() error { return d.Chmod(0o700) },
		func() error { return second(d.Stat()) },
		func() error { return second(d.Lstat("file")) },
		func() error { return second(d.Names(0)) },
		func() error { return second(d.Kind()) },
		func() error { return readOnce(d, "file", buf) },
		func() error { return d.Rename("file", root, "moved", vfs.NoReplace) },
		func() error { return second(under.Lstat("/moved")) },
		func() error { return under.Rename("/moved", "/again", vfs.Plain) },
		func() error { return root.Remove("again") },
		func() error { return reopen(root) },
		func() error { return root.Rmdir("d") },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func second[T any](_ T, err error) error { return err }

func closing(c interface{ Close() error }, err *error) {
	if cerr := c.Close(); *err == nil {
		*err = cerr
	}
}

func readOnce(d vfs.Dir, name string, buf []byte) (err error) {
	f, err := d.Open(name, vfs.Read, 0)
	if err != nil {
		return err
	}
	defer closing(f, &err)
	_, err = f.Read(buf)
	return err
}

func reopen(root vfs.Dir) error {
	d, err := root.OpenDir("d")
	if err != nil {
		return err
	}
	return d.Close()
}

func openRoot(t *testing.T, under vfs.FS, before func(faultfs.Op) error) vfs.Dir {
	t.Helper()
	d, err := faultfs.Wrap(under, faultfs.Hooks{Before: before}).OpenDir("/")
	if err != nil {
		t.Fatal(err)
	}
	return d
}
