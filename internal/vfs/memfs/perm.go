package memfs

import (
	"io/fs"
	"syscall"
)

// access is a set of permission bits, as in the last digit of a mode.
type access uint32

const (
	toSearch access = 1
	toWrite  access = 2
	toRead   access = 4
)

// may tells why the process has no such access to n, or nil. The first class
// that fits decides, as in the kernel: an owner without a right does not get it
// as a member of the group.
func (p *Process) may(n *node, want access) error {
	if want&toWrite != 0 && n.vol.opt.ReadOnly {
		return syscall.EROFS
	}
	if p.user.UID == 0 {
		return nil
	}
	bits := access(n.mode.Perm())
	switch {
	case p.user.UID == n.uid:
		bits >>= 6
	case p.user.GID == n.gid:
		bits >>= 3
	}
	if bits&want != want {
		return syscall.EACCES
	}
	return nil
}

// mayRemove tells why the process may not take victim's name away, as a
// directory or as something else.
func (p *Process) mayRemove(victim *node, asDir bool) error {
	dir := victim.parent
	if err := p.may(dir, toWrite|toSearch); err != nil {
		return err
	}
	switch {
	case p.isStuck(dir, victim):
		return syscall.EPERM
	case asDir && !victim.isDir():
		return syscall.ENOTDIR
	case !asDir && victim.isDir():
		return syscall.EISDIR
	case victim.mountpoint:
		return syscall.EBUSY
	}
	return nil
}

// isStuck is the sticky bit: only the owners of name and directory remove.
func (p *Process) isStuck(dir, victim *node) bool {
	uid := p.user.UID
	return dir.mode&fs.ModeSticky != 0 && uid != 0 && uid != victim.uid && uid != dir.uid
}

// chmod is fchmod: for the owner, and without handing out a foreign group.
func (p *Process) chmod(n *node, mode fs.FileMode) error {
	const settable = fs.ModePerm | fs.ModeSticky | fs.ModeSetuid | fs.ModeSetgid
	switch {
	case n.vol.opt.ReadOnly:
		return syscall.EROFS
	case p.user.UID != 0 && p.user.UID != n.uid:
		return syscall.EPERM
	}
	if p.user.UID != 0 && p.user.GID != n.gid {
		mode &^= fs.ModeSetgid
	}
	n.mode = n.mode&^settable | mode&settable
	return nil
}

// create makes a new inode with its name. A set-group-id directory hands its
// group down, as shared caches want it.
func (p *Process) create(at place, mode fs.FileMode) (*node, error) {
	if err := p.may(at.dir, toWrite|toSearch); err != nil {
		return nil, err
	}
	vol := at.dir.vol
	if !vol.hasInode() {
		return nil, syscall.ENOSPC
	}
	n := vol.newNode(mode &^ p.user.Umask)
	n.uid, n.gid = p.user.UID, p.user.GID
	if at.dir.mode&fs.ModeSetgid != 0 {
		n.gid = at.dir.gid
		if n.isDir() {
			n.mode |= fs.ModeSetgid
		}
	}
	p.fs.record(Change{Kind: Added, Path: at.path(), dir: at.dir, name: at.name, node: n})
	n.attach(at.dir, at.name)
	return n, nil
}
