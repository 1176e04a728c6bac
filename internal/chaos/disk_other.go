//go:build unix && !linux

package main

import (
	"context"
	"os"
)

// newDisk has no file system of its own here.
func newDisk(dir string) (*disk, []string) {
	d := &disk{dir: dir, can: []string{frozen}}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return d, []string{err.Error()}
	}
	return d, []string{"a disk that fills up, and a read-only remount: only on Linux; permissions are taken away instead"}
}

func (d *disk) close() {}

func (d *disk) remount(context.Context) (mend func()) { return nil }

func (d *disk) freeze() (mend func()) { return d.chmod() }
