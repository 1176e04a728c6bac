package memfs

import (
	"io/fs"
	"syscall"

	"genlock.dev/genlock/internal/vfs"
)

// dir is a directory handle.
type dir struct {
	p      *Process
	node   *node
	path   string
	fd     int
	closed bool
}

var _ vfs.Dir = (*dir)(nil)

func (p *Process) openDir(at place, path string) (*dir, error) {
	n, err := at.existingDir()
	if err != nil {
		return nil, err
	}
	if err := p.may(n, toRead); err != nil {
		return nil, err
	}
	d := &dir{p: p, node: n, path: path}
	d.hold()
	d.fd = p.install(d)
	return d, nil
}

func (d *dir) Path() string { return d.path }

func (d *dir) label() string { return d.path }

func (d *dir) inode() *node { return d.node }

func (d *dir) drop() { d.letGo() }

// usable tells why nothing can be done through the handle, or nil.
func (d *dir) usable() error {
	switch {
	case d.p.killed:
		return ErrKilled
	case d.closed:
		return syscall.EBADF
	}
	return d.refresh()
}

// at finds name, which may not exist.
func (d *dir) at(name string) (place, error) {
	if err := d.usable(); err != nil {
		return place{}, err
	}
	if err := plainName(name); err != nil {
		return place{}, err
	}
	return d.p.lookup(d.node, name)
}

// on runs do on the place of name, with the lock held.
func (d *dir) on(op, name string, do func(at place) error) error {
	d.p.fs.mu.Lock()
	defer d.p.fs.mu.Unlock()
	at, err := d.at(name)
	if err == nil {
		err = do(at)
	}
	return pathError(op, join(d.path, name), err)
}

// onSelf runs do on the directory, with the lock held.
func (d *dir) onSelf(op string, do func(n *node) error) error {
	d.p.fs.mu.Lock()
	defer d.p.fs.mu.Unlock()
	err := d.usable()
	if err == nil {
		err = do(d.node)
	}
	return pathError(op, d.path, err)
}

func (d *dir) OpenDir(name string) (vfs.Dir, error) {
	var sub *dir
	err := d.on("open", name, func(at place) (err error) {
		sub, err = d.p.openDir(at, join(d.path, name))
		return err
	})
	if err != nil {
		return nil, err
	}
	return sub, nil
}

func (d *dir) Mkdir(name string, mode fs.FileMode) error {
	return d.on("mkdir", name, func(at place) error {
		if at.node != nil {
			return syscall.EEXIST
		}
		_, err := d.p.create(at, modeDir|mode.Perm())
		return err
	})
}

func (d *dir) Lstat(name string) (info vfs.Info, err error) {
	err = d.on("lstat", name, func(at place) error {
		if at.node == nil {
			return syscall.ENOENT
		}
		info = at.node.info()
		return nil
	})
	return info, err
}

func (d *dir) Stat() (info vfs.Info, err error) {
	err = d.onSelf("stat", func(n *node) error {
		info = n.info()
		return nil
	})
	return info, err
}

func (d *dir) Chmod(mode fs.FileMode) error {
	return d.onSelf("chmod", func(n *node) error { return d.p.chmod(n, mode) })
}

func (d *dir) Rename(name string, to vfs.Dir, newname string, how vfs.RenameFlag) error {
	target, ok := to.(*dir)
	if !ok || target.p.fs != d.p.fs {
		return linkError(name, newname, syscall.EXDEV)
	}
	d.p.fs.mu.Lock()
	defer d.p.fs.mu.Unlock()
	from, err := d.at(name)
	var onto place
	if err == nil {
		onto, err = target.at(newname)
	}
	if err == nil {
		err = d.p.rename(from, onto, how)
	}
	return linkError(join(d.path, name), join(target.path, newname), err)
}

func (d *dir) Remove(name string) error {
	return d.on("remove", name, func(at place) error { return d.p.remove(at, false) })
}

func (d *dir) Rmdir(name string) error {
	return d.on("rmdir", name, func(at place) error { return d.p.remove(at, true) })
}

func (d *dir) Names(max int) ([]string, error) {
	var names []string
	err := d.onSelf("readdir", func(n *node) error {
		if err := d.p.may(n, toRead|toSearch); err != nil {
			return err
		}
		if n.removed {
			return syscall.ENOENT
		}
		for _, child := range n.sorted() {
			if max > 0 && len(names) == max {
				break
			}
			names = append(names, child.name)
		}
		return nil
	})
	return names, err
}

func (d *dir) Kind() (kind vfs.Kind, err error) {
	err = d.onSelf("statfs", func(n *node) error {
		kind = n.vol.opt.Kind
		return nil
	})
	return kind, err
}

func (d *dir) Close() error {
	d.p.fs.mu.Lock()
	defer d.p.fs.mu.Unlock()
	switch {
	case d.p.killed:
		return pathError("close", d.path, ErrKilled)
	case d.closed:
		return pathError("close", d.path, syscall.EBADF)
	}
	d.closed = true
	d.p.open[d.fd] = nil
	d.drop()
	return nil
}
