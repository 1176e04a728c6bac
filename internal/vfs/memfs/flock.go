package memfs

import (
	"errors"
	"slices"
	"syscall"

	"genlock.dev/genlock/internal/vfs"
)

type lockState int

const (
	unlocked lockState = iota
	shared
	exclusive
)

func (s lockState) String() string {
	return [...]string{"unlocked", "shared", "exclusive"}[s]
}

// Flock locks the description. As on Linux, turning a lock into the other kind
// drops it first: when somebody else is in the way, it is lost.
func (f *file) Flock(how vfs.LockMode) error {
	return f.on("flock", func(n *node) error {
		if n.vol.opt.Windows {
			return errors.ErrUnsupported
		}
		want := shared
		if how == vfs.Exclusive {
			want = exclusive
		}
		if f.desc.lock == want {
			return nil
		}
		f.desc.unlock()
		for _, other := range n.locks {
			if want == exclusive || other.lock == exclusive {
				return syscall.EWOULDBLOCK
			}
		}
		f.desc.lock = want
		n.locks = append(n.locks, f.desc)
		return nil
	})
}

func (d *description) unlock() {
	if d.lock == unlocked {
		return
	}
	d.lock = unlocked
	i := slices.Index(d.node.locks, d)
	d.node.locks = slices.Delete(d.node.locks, i, i+1)
}
