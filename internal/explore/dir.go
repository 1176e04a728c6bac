package explore

import (
	"io/fs"
	"slices"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// dir is a directory handle of a simulated process. Closing one and asking its
// kind depend on nothing, so they are no steps.
type dir struct {
	vfs.Dir
	p    *Proc
	node *node
	// late is the path of a handle that is none, see old.go.
	late string
}

func (d *dir) op(v verb, name string) op {
	if d.late != "" {
		_, _, d.node = d.p.w.disk.at(d.late, nil)
	}
	return op{verb: v, dir: d.Path(), name: name, at: d.p.point(v, d.node, name)}
}

func (d *dir) OpenDir(name string) (vfs.Dir, error) {
	if !d.p.begin(d.op(vOpenDir, name)) {
		return nil, errDead
	}
	d.p.touchName(d.node, name, reads)
	n := child(d.node, name)
	inner, err := d.Dir.OpenDir(name)
	if err != nil {
		return nil, d.p.failed(err)
	}
	return d.p.opened(inner, n), nil
}

func (d *dir) Mkdir(name string, perm fs.FileMode) error {
	if !d.p.begin(d.op(vMkdir, name)) {
		return errDead
	}
	if err := d.arrive(); err != nil {
		return err
	}
	d.p.touchName(d.node, name, writes)
	if err := d.Dir.Mkdir(name, perm); err != nil {
		return d.p.failed(err)
	}
	n := d.p.make(d, name, true)
	d.p.end(true, uint64(n.id))
	return nil
}

func (d *dir) Open(name string, how vfs.OpenFlag, perm fs.FileMode) (vfs.File, error) {
	o := d.op(vOpen, name)
	switch how {
	case vfs.Create:
		o = d.op(vCreate, name)
	case vfs.Truncate:
		o = d.op(vTruncate, name)
	}
	if !d.p.begin(o) {
		return nil, errDead
	}
	if err := d.arrive(); err != nil {
		return nil, err
	}
	access := reads
	if how == vfs.Create {
		access = writes
	}
	if n := child(d.node, name); n != nil && how == vfs.Truncate {
		d.p.touch(data, n, "", writes)
	}
	d.p.touchName(d.node, name, access)
	inner, err := d.Dir.Open(name, how, perm)
	if err != nil {
		d.p.reads(d, name)
		return nil, d.p.failed(err)
	}
	n := child(d.node, name)
	if how == vfs.Create {
		n = d.p.make(d, name, false)
	}
	if how == vfs.Truncate {
		d.p.w.disk.change(n, func() { n.data = nil })
		if name == protocol.RecordName {
			d.node.stripped, d.node.overwritten = true, d.node.maker != d.p.n
		}
	} else {
		d.p.reads(d, name)
	}
	d.p.end(how != vfs.Read && how != vfs.ReadWrite, uint64(n.id))
	f := &file{File: inner, p: d.p, node: n, dir: d.Path()}
	return f, nil
}

func (d *dir) Lstat(name string) (vfs.Info, error) {
	if !d.p.begin(d.op(vLstat, name)) {
		return vfs.Info{}, errDead
	}
	if err := d.arrive(); err != nil {
		return vfs.Info{}, err
	}
	d.p.touchName(d.node, name, reads)
	n := child(d.node, name)
	info, err := d.Dir.Lstat(name)
	if err != nil {
		return info, d.p.failed(err)
	}
	return d.p.info(n, info), nil
}

func (d *dir) Stat() (vfs.Info, error) {
	if !d.p.begin(op{verb: vStat, dir: d.Path(), at: d.p.pointAt(vStat, d.node)}) {
		return vfs.Info{}, errDead
	}
	info, err := d.Dir.Stat()
	if err != nil {
		return info, d.p.failed(err)
	}
	return d.p.info(d.node, info), nil
}

func (d *dir) Chmod(perm fs.FileMode) error {
	if !d.p.begin(op{verb: vChmod, dir: d.Path(), at: d.p.pointAt(vChmod, d.node)}) {
		return errDead
	}
	return d.p.chmod(d.node, perm, d.Dir.Chmod)
}

func (p *Proc) chmod(n *node, perm fs.FileMode, call func(fs.FileMode) error) error {
	p.touch(mode, n, "", writes)
	if err := call(perm); err != nil {
		return p.failed(err)
	}
	p.w.disk.change(n, func() { n.mode = uint32(perm) })
	p.end(true, 0)
	return nil
}

func (d *dir) Rename(name string, to vfs.Dir, newname string, how vfs.RenameFlag) error {
	target := to.(*dir)
	o := d.op(vRename, name)
	o.to, o.toName, o.how = target.Path(), newname, renameWord(how)
	o.at.to = d.p.w.roleOf(target.node, newname)
	if !d.p.begin(o) {
		return errDead
	}
	return d.p.rename(d.node, name, target.node, newname, how, func() error {
		return d.Dir.Rename(name, target.Dir, newname, how)
	})
}

func (d *dir) Remove(name string) error { return d.remove(vRemove, name, vfs.Dir.Remove) }

func (d *dir) Rmdir(name string) error { return d.remove(vRmdir, name, vfs.Dir.Rmdir) }

func (d *dir) remove(v verb, name string, call func(vfs.Dir, string) error) error {
	if !d.p.begin(d.op(v, name)) {
		return errDead
	}
	if err := d.arrive(); err != nil {
		return err
	}
	d.p.touchName(d.node, name, writes)
	n := child(d.node, name)
	if n != nil && n.isDir {
		d.p.touch(listing, n, "", reads)
	}
	if err := call(d.Dir, name); err != nil {
		return d.p.failed(err)
	}
	if n.isDir {
		d.p.touch(exists, n, "", writes)
	}
	d.p.w.onRemove(d.p, n)
	d.p.w.disk.unlink(n)
	d.p.end(true, 0)
	return nil
}

func (d *dir) Names(max int) ([]string, error) {
	if !d.p.begin(op{verb: vNames, dir: d.Path(), at: d.p.pointAt(vNames, d.node)}) {
		return nil, errDead
	}
	d.p.touch(exists, d.node, "", reads)
	d.p.touch(listing, d.node, "", reads)
	names, err := d.Dir.Names(max)
	if err != nil {
		return names, d.p.failed(err)
	}
	if d.p.w.sc.Backwards {
		slices.Reverse(names)
	}
	h := uint64(0)
	for _, name := range names {
		h = mixString(h, name)
	}
	d.p.end(false, h)
	return names, nil
}

func (d *dir) Kind() (vfs.Kind, error) {
	if d.p.dead {
		return vfs.Kind{}, errDead
	}
	return d.Dir.Kind()
}

func (d *dir) Close() error {
	if d.p.dead {
		return errDead
	}
	if d.late != "" {
		return d.leave()
	}
	d.p.open -= mix(uint64(d.node.id), 1<<43)
	return d.Dir.Close()
}
