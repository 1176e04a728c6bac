package memfs

import (
	"io"
	"io/fs"
	"slices"
	"syscall"

	"genlock.dev/genlock/internal/vfs"
)

// description is an open file description: what the descriptors of several
// processes share when one inherited it from the other.
type description struct {
	node     *node
	readable bool
	writable bool
	offset   int
	lock     lockState
	holders  []int // process ids, one for each descriptor
}

// file is one descriptor.
type file struct {
	p      *Process
	desc   *description
	path   string
	fd     int
	closed bool
}

var _ vfs.File = (*file)(nil)

func (d *dir) Open(name string, how vfs.OpenFlag, mode fs.FileMode) (vfs.File, error) {
	var f *file
	err := d.on("open", name, func(at place) error {
		n, err := d.p.openNode(at, how, mode)
		if err != nil {
			return err
		}
		if how == vfs.Truncate && n.isRegular() {
			n.empty()
		}
		n.opens++
		f = d.p.newFile(&description{node: n, readable: true, writable: how != vfs.Read}, join(d.path, name))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// openNode finds or makes what open(2) would open. A directory can be opened
// for reading, and reading it fails.
func (p *Process) openNode(at place, how vfs.OpenFlag, mode fs.FileMode) (*node, error) {
	n := at.node
	if n == nil {
		if how != vfs.Create {
			return nil, syscall.ENOENT
		}
		return p.create(at, mode.Perm())
	}
	want := toRead
	switch {
	case how == vfs.Create:
		return nil, syscall.EEXIST
	case n.isLink():
		return nil, syscall.ELOOP
	case how != vfs.Read && n.isDir():
		return nil, syscall.EISDIR
	case how != vfs.Read:
		want |= toWrite
	}
	if err := p.may(n, want); err != nil {
		return nil, err
	}
	if n.mode&(fs.ModeSocket|fs.ModeDevice) != 0 {
		return nil, syscall.ENXIO
	}
	return n, nil
}

// empty is no change that a power cut could lose: nothing that is to survive one does it.
func (n *node) empty() {
	n.vol.bytes -= int64(len(n.data))
	n.data = nil
	n.stamp()
}

func (p *Process) newFile(desc *description, path string) *file {
	f := &file{p: p, desc: desc, path: path}
	desc.holders = append(desc.holders, p.id)
	f.fd = p.install(f)
	return f
}

func (f *file) label() string { return f.path }

func (f *file) inode() *node { return f.desc.node }

// drop ends one descriptor, and with the last one the description.
func (f *file) drop() {
	d := f.desc
	i := slices.Index(d.holders, f.p.id)
	d.holders = slices.Delete(d.holders, i, i+1)
	if len(d.holders) > 0 {
		return
	}
	d.unlock()
	d.node.opens--
	d.node.freeIfUnused()
}

func (f *file) usable() error {
	switch {
	case f.p.killed:
		return ErrKilled
	case f.closed:
		return syscall.EBADF
	}
	return nil
}

// on runs do with the lock held.
func (f *file) on(op string, do func(n *node) error) error {
	f.p.fs.mu.Lock()
	defer f.p.fs.mu.Unlock()
	err := f.usable()
	if err == nil {
		err = do(f.desc.node)
	}
	return pathError(op, f.path, err)
}

func (f *file) Read(p []byte) (done int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	end := false
	err = f.on("read", func(n *node) error {
		switch {
		case n.isDir():
			return syscall.EISDIR
		case !n.isRegular() && f.desc.writable:
			return syscall.EAGAIN // an empty fifo that has a writer: us
		}
		if f.desc.offset < len(n.data) {
			done = copy(p, n.data[f.desc.offset:])
			f.desc.offset += done
		}
		end = done == 0
		return nil
	})
	if end {
		return 0, io.EOF
	}
	return done, err
}

// Write writes what fits, like the system call, and then says what did not.
func (f *file) Write(p []byte) (done int, err error) {
	err = f.on("write", func(n *node) (err error) {
		done, err = f.write(n, p, f.desc.offset)
		f.desc.offset += done
		return err
	})
	return done, err
}

func (f *file) WriteAt(p []byte, off int64) (done int, err error) {
	err = f.on("write", func(n *node) (err error) {
		done, err = f.write(n, p, int(off))
		return err
	})
	return done, err
}

func (f *file) write(n *node, p []byte, offset int) (done int, err error) {
	switch {
	case !f.desc.writable:
		return 0, syscall.EBADF
	case n.vol.opt.ReadOnly:
		return 0, syscall.EROFS
	case !n.isRegular():
		return 0, syscall.EAGAIN // a fifo whose buffer holds nothing
	case len(p) == 0:
		return 0, nil
	}
	grow := max(0, offset+len(p)-len(n.data))
	done = len(p) - (grow - n.vol.room(grow))
	if done > 0 {
		f.p.fs.record(Change{Kind: Wrote, Path: n.path(), node: n, offset: offset, data: slices.Clone(p[:done])})
		n.vol.bytes -= int64(len(n.data))
		n.data = patch(n.data, offset, p[:done])
		n.vol.bytes += int64(len(n.data))
		n.stamp()
	}
	if done < len(p) {
		return done, syscall.ENOSPC
	}
	return done, nil
}

// patch puts p at offset; a gap reads as zeros.
func patch(data []byte, offset int, p []byte) []byte {
	if gap := offset + len(p) - len(data); gap > 0 {
		data = append(data, make([]byte, gap)...)
	}
	copy(data[offset:], p)
	return data
}

func (f *file) Stat() (info vfs.Info, err error) {
	err = f.on("stat", func(n *node) error {
		info = n.info()
		return nil
	})
	return info, err
}

func (f *file) Chmod(mode fs.FileMode) error {
	return f.on("chmod", func(n *node) error { return f.p.chmod(n, mode) })
}

// Sync makes the file's data durable, not its name.
func (f *file) Sync() error {
	return f.on("sync", func(n *node) error {
		f.p.fs.settleData(n)
		return nil
	})
}

func (f *file) Close() error {
	return f.on("close", func(*node) error {
		f.closed = true
		f.p.open[f.fd] = nil
		f.drop()
		return nil
	})
}
