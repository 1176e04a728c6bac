package explore

import (
	"path"
	"time"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/memfs"
)

// fsys is the file system as one simulated process sees it: the model file
// system, each operation a step that the scheduler knows of.
type fsys struct {
	p     *Proc
	inner *memfs.Process
}

var _ vfs.FS = (*fsys)(nil)

// walk touches every name on the way to full, whose last element gets no touch.
func (p *Proc) walk(full string) (parent *node, name string, n *node) {
	return p.w.disk.at(full, func(dir *node, name string) {
		p.touch(entry, dir, name, reads)
	})
}

func (f *fsys) op(v verb, full string) op {
	dir, name := path.Split(full)
	parent, base, _ := f.p.w.disk.at(full, nil)
	o := op{verb: v, dir: dir[:max(len(dir)-1, 0)], name: name}
	o.at = f.p.point(v, parent, base)
	return o
}

// OpenDir implements vfs.FS.
func (f *fsys) OpenDir(full string) (vfs.Dir, error) { return f.open(full, f.inner.OpenDir) }

// OpenParent implements vfs.FS. No links are made here, so it is OpenDir.
func (f *fsys) OpenParent(full string) (vfs.Dir, error) {
	if f.p.old != nil {
		return &dir{p: f.p, late: full}, nil
	}
	return f.open(full, f.inner.OpenParent)
}

func (f *fsys) open(full string, open func(string) (vfs.Dir, error)) (vfs.Dir, error) {
	if !f.p.begin(f.op(vOpenDir, full)) {
		return nil, errDead
	}
	_, _, n := f.p.walk(full)
	inner, err := open(full)
	if err != nil {
		return nil, f.p.failed(err)
	}
	return f.p.opened(inner, n), nil
}

// opened keeps account of open directories: they are part of what a process
// remembers.
func (p *Proc) opened(inner vfs.Dir, n *node) *dir {
	p.open += mix(uint64(n.id), 1<<43)
	p.end(false, uint64(n.id))
	return &dir{Dir: inner, p: p, node: n}
}

// Lstat implements vfs.FS.
func (f *fsys) Lstat(full string) (vfs.Info, error) {
	if !f.p.begin(f.op(vLstat, full)) {
		return vfs.Info{}, errDead
	}
	_, _, n := f.p.walk(full)
	info, err := f.inner.Lstat(full)
	if f.p.old != nil && full == lockPath {
		f.p.old.seen = n
	}
	if err != nil {
		return info, f.p.failed(err)
	}
	return f.p.info(n, info), nil
}

// Rename implements vfs.FS.
func (f *fsys) Rename(oldpath, newpath string, how vfs.RenameFlag) error {
	o, t := f.op(vRename, oldpath), f.op(vRename, newpath)
	o.to, o.toName, o.how, o.at.to = t.dir, t.name, renameWord(how), t.at.on
	if !f.p.begin(o) {
		return errDead
	}
	from, name, _ := f.p.walk(oldpath)
	to, toName, _ := f.p.walk(newpath)
	return f.p.rename(from, name, to, toName, how, func() error { return f.inner.Rename(oldpath, newpath, how) })
}

func renameWord(how vfs.RenameFlag) string {
	switch how {
	case vfs.NoReplace:
		return "without replacing"
	case vfs.Exchange:
		return "exchange"
	}
	return ""
}

// info describes n as the code under test sees it. The inode number is the one
// that does not depend on the order of steps; a time of modification is the
// time of making, because the only reader of times is the age of litter.
func (p *Proc) info(n *node, info vfs.Info) vfs.Info {
	p.touch(mode, n, "", reads)
	if !n.isDir {
		p.touch(data, n, "", reads)
	}
	if !p.w.sc.RealInodes {
		info.Ino = uint64(n.id)
	}
	info.Nlink, info.ModTime = 0, time.Unix(0, n.born)
	p.end(false, mix(mix(uint64(n.id), info.Ino), mix(uint64(info.Size), uint64(info.Mode))))
	return info
}

// rename does the rename of from/name to to/toName by call, or what was injected
// instead, and follows it.
func (p *Proc) rename(from *node, name string, to *node, toName string, how vfs.RenameFlag, call func() error) error {
	moved, replaced := child(from, name), child(to, toName)
	p.touchName(from, name, writes)
	p.touchName(to, toName, writes)
	if replaced != nil && replaced.isDir && how == vfs.Plain {
		p.touch(listing, replaced, "", reads)
	}
	if p.fault.instead {
		return p.failed(p.fault.err)
	}
	err := call()
	if err != nil {
		return p.failed(err)
	}
	if moved != replaced {
		p.renamed(moved, replaced, from, to, toName, how)
	}
	if p.fault.err != nil {
		p.end(true, resultOf(p.fault.err))
		return p.fault.err
	}
	p.end(true, 0)
	return nil
}

func (p *Proc) renamed(moved, replaced *node, from, to *node, toName string, how vfs.RenameFlag) {
	d := p.w.disk
	name := moved.name
	d.detach(moved)
	switch {
	case how == vfs.Exchange:
		d.detach(replaced)
		d.attach(from, name, replaced)
	case replaced != nil:
		p.touch(exists, replaced, "", writes)
		p.w.onOldEnd(p, replaced)
		d.unlink(replaced)
	}
	d.attach(to, toName, moved)
	p.w.onRename(p, moved, from, name)
}

func child(dir *node, name string) *node {
	if dir == nil {
		return nil
	}
	return dir.names[name]
}

// touchName is a change of a name in a directory: the name itself, the listing,
// and the directory's own existence.
func (p *Proc) touchName(dir *node, name string, how access) {
	if dir == nil {
		return
	}
	p.touch(exists, dir, "", reads)
	p.touch(entry, dir, name, how)
	if how == writes {
		p.touch(listing, dir, "", updates)
	}
}
