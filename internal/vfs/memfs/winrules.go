package memfs

import "syscall"

// With Options.Windows the model has the rules of the implementation for
// Windows, which is much weaker than the one for unix:
//
//   - A name cannot be moved or removed, nor replaced, while a file at it or
//     below it is open: access is denied (EACCES).
//   - A directory handle is only a remembered path and identity. It keeps
//     nothing in place and does not follow a rename: when the directory is no
//     longer at its path, everything through the handle fails with ENOENT.
//   - Neither Exchange nor Flock is supported.
//
// Names still differ by case unless FoldCase is set, too.

// isPinned tells whether an open file keeps n where it is.
func (n *node) isPinned() bool { return n.vol.opt.Windows && n.inUse() }

// inUse tells whether a file is open at n or below it.
func (n *node) inUse() bool {
	if n.opens > 0 {
		return true
	}
	for _, child := range n.names {
		if child.inUse() {
			return true
		}
	}
	return false
}

// refresh looks whether the directory is still at the remembered path.
func (d *dir) refresh() error {
	if !d.node.vol.opt.Windows {
		return nil
	}
	at, err := d.p.walk(d.path, true)
	if err == nil && at.node != d.node {
		err = syscall.ENOENT
	}
	return err
}

// hold and letGo count the handle as an opening of the inode, which keeps its
// number taken after it was removed.
func (d *dir) hold() {
	if !d.node.vol.opt.Windows {
		d.node.opens++
	}
}

func (d *dir) letGo() {
	if !d.node.vol.opt.Windows {
		d.node.opens--
		d.node.freeIfUnused()
	}
}
