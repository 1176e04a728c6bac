package memfs

import (
	"syscall"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

var _ vfs.Toucher = (*dir)(nil)

// Touch implements vfs.Toucher: for the owner, as futimes(2) with explicit times.
func (d *dir) Touch(t time.Time) error {
	return d.onSelf("touch", func(n *node) error {
		switch {
		case n.vol.opt.ReadOnly:
			return syscall.EROFS
		case d.p.user.UID != 0 && d.p.user.UID != n.uid:
			return syscall.EPERM
		}
		n.mtime = t
		return nil
	})
}
