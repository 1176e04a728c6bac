package memfs

import (
	"syscall"

	"genlock.dev/genlock/internal/vfs"
)

// remove is unlink(2), or with asDir rmdir(2).
func (p *Process) remove(at place, asDir bool) error {
	switch {
	case at.dir.vol.opt.ReadOnly:
		return syscall.EROFS
	case at.node == nil:
		return syscall.ENOENT
	}
	if err := p.mayRemove(at.node, asDir); err != nil {
		return err
	}
	if len(at.node.names) > 0 {
		return syscall.ENOTEMPTY // also where a rename says EEXIST
	}
	if at.node.isPinned() {
		return syscall.EACCES
	}
	p.fs.record(Change{Kind: Removed, Path: at.node.path(), dir: at.dir, name: at.name, node: at.node})
	at.node.unlink()
	return nil
}

// rename is renameat2(2). The order of the checks is that of Linux, so that of
// two errors the same one is seen.
func (p *Process) rename(from, to place, how vfs.RenameFlag) error {
	if err := sayNo(from, to, how); err != nil {
		return err
	}
	if from.node == to.node {
		p.respell(from.node, to.name, how)
		return nil
	}
	if err := p.mayRename(from, to, how); err != nil {
		return err
	}
	if err := mayMove(from, to, how); err != nil {
		return err
	}
	c := Change{
		Kind: Renamed, Path: from.node.path(), To: to.path(),
		dir: from.dir, name: from.name, node: from.node,
		toDir: to.dir, toName: to.name, toNode: to.node,
	}
	if how == vfs.Exchange {
		c.Kind = Exchanged
	}
	p.fs.record(c)
	from.node.detach()
	switch {
	case how == vfs.Exchange:
		to.node.detach()
		to.node.attach(from.dir, from.name)
	case to.node != nil:
		to.node.unlink()
	}
	from.node.attach(to.dir, to.name)
	return nil
}

// sayNo checks what needs no permissions: names, devices, loops.
func sayNo(from, to place, how vfs.RenameFlag) error {
	switch {
	case from.dir == nil || to.dir == nil:
		return syscall.EBUSY
	case from.dir.vol != to.dir.vol:
		return syscall.EXDEV
	case from.dir.vol.opt.ReadOnly:
		return syscall.EROFS
	case from.node == nil:
		return syscall.ENOENT
	case how == vfs.NoReplace && to.node != nil:
		return syscall.EEXIST
	case how == vfs.Exchange && to.node == nil:
		return syscall.ENOENT
	case from.node.contains(to.dir):
		return syscall.EINVAL
	case to.node != nil && to.node.contains(from.dir) && how == vfs.Exchange:
		return syscall.EINVAL
	case to.node != nil && to.node.contains(from.dir):
		return syscall.ENOTEMPTY
	}
	return nil
}

func (p *Process) mayRename(from, to place, how vfs.RenameFlag) error {
	if err := p.mayRemove(from.node, from.node.isDir()); err != nil {
		return err
	}
	switch {
	case to.node == nil:
		if err := p.may(to.dir, toWrite|toSearch); err != nil {
			return err
		}
	case how == vfs.Exchange:
		if err := p.mayRemove(to.node, to.node.isDir()); err != nil {
			return err
		}
	default:
		if err := p.mayRemove(to.node, from.node.isDir()); err != nil {
			return err
		}
	}
	// A directory that gets another parent has its ".." rewritten.
	if from.dir == to.dir {
		return nil
	}
	if from.node.isDir() {
		if err := p.may(from.node, toWrite); err != nil {
			return err
		}
	}
	if how == vfs.Exchange && to.node.isDir() {
		return p.may(to.node, toWrite)
	}
	return nil
}

// mayMove checks what the file system itself refuses.
func mayMove(from, to place, how vfs.RenameFlag) error {
	swap := how == vfs.Exchange
	switch {
	case swap && from.dir.vol.opt.Windows:
		return syscall.ENOTSUP
	case from.node.isLowerDir() || swap && to.node.isLowerDir():
		return syscall.EXDEV
	case to.node != nil && !swap && len(to.node.names) > 0:
		return to.dir.vol.opt.NotEmpty
	case from.node.isPinned() || to.node != nil && to.node.isPinned():
		return syscall.EACCES
	}
	return nil
}

func (n *node) isLowerDir() bool { return n.lower && n.isDir() }

// respell is a rename onto itself: nothing happens, except that a file system
// which folds case takes the new spelling.
func (p *Process) respell(n *node, name string, how vfs.RenameFlag) {
	if how == vfs.Exchange || n.name == name {
		return
	}
	dir := n.parent
	p.fs.record(Change{
		Kind: Renamed, Path: n.path(), To: place{dir: dir, name: name}.path(),
		dir: dir, name: n.name, node: n, toDir: dir, toName: name,
	})
	n.detach()
	n.attach(dir, name)
}
