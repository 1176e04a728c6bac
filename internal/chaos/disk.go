//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// The ways in which a disk is spoilt.
const (
	noSpace  = "no space"
	noInodes = "no inodes"
	readOnly = "read-only file system"
	frozen   = "directories that nothing may be changed in"
)

// disk is the place that is spoilt: a small file system of its own where one can be
// made, otherwise a directory.
type disk struct {
	dir     string
	mounted bool
	can     []string
}

func (d *disk) kinds() []string { return d.can }

// spoil spoils it and returns how to mend it; nil if it cannot be spoilt now.
func (d *disk) spoil(ctx context.Context, kind string) (mend func()) {
	switch kind {
	case noSpace:
		return fill(filepath.Join(d.dir, "filler"))
	case noInodes:
		return crowd(filepath.Join(d.dir, "crowd"))
	case readOnly:
		return d.remount(ctx)
	}
	return d.freeze()
}

// fill writes until nothing fits any more.
func fill(path string) (mend func()) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil
	}
	for size := 1 << 16; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 16
		}
	}
	f.Close()
	return func() { os.Remove(path) }
}

// crowd makes files until no more can be made.
func crowd(dir string) (mend func()) {
	if os.MkdirAll(dir, 0o777) != nil {
		return nil
	}
	mend = func() { os.RemoveAll(dir) }
	for {
		f, err := os.CreateTemp(dir, "")
		if errors.Is(err, syscall.ENOSPC) {
			return mend
		}
		if err != nil {
			mend()
			return nil
		}
		f.Close()
	}
}

// roots are the directories whose names matter most: those of the locks.
func (d *disk) roots() []string {
	roots, _ := filepath.Glob(filepath.Join(d.dir, "locks", "*.v3"))
	return roots
}

// chmod takes the write permission from the locks' directories. It means nothing to
// root.
func (d *disk) chmod() (mend func()) {
	modes := make(map[string]os.FileMode)
	for _, root := range d.roots() {
		info, err := os.Stat(root)
		if err == nil && os.Chmod(root, 0o555) == nil {
			modes[root] = info.Mode().Perm()
		}
	}
	if len(modes) == 0 {
		return nil
	}
	return func() {
		for root, mode := range modes {
			os.Chmod(root, mode)
		}
	}
}
