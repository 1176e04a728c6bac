package faultfs

import (
	"time"

	"genlock.dev/genlock/internal/vfs"
)

// Touch is the verb of setting a directory's modification time.
const Touch = "touch"

var _ vfs.Toucher = (*dir)(nil)

// Touch implements vfs.Toucher as far as the directory below does.
func (d *dir) Touch(t time.Time) error {
	return d.fs.act(Op{Verb: Touch, Path: d.Path()}, func() error { return vfs.Touch(d.inner, t) })
}
