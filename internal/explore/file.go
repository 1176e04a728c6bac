package explore

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// file is an open file of a simulated process.
type file struct {
	vfs.File
	p    *Proc
	node *node
	dir  string
	// held is the lock that goes when the file is closed.
	held *flock
}

// Unwrap lets the model file system hand the file to a child.
func (f *file) Unwrap() vfs.File { return f.File }

func (f *file) op(v verb) op {
	return op{verb: v, dir: f.dir, name: f.node.name, at: f.p.pointAt(v, f.node)}
}

func (f *file) Read(b []byte) (int, error) {
	if !f.p.begin(f.op(vRead)) {
		return 0, errDead
	}
	f.p.touch(data, f.node, "", reads)
	n, err := f.File.Read(b)
	if err != nil && err != io.EOF {
		return n, f.p.failed(err)
	}
	f.p.end(false, mixString(uint64(n), string(b[:n])))
	return n, err
}

func (f *file) Write(b []byte) (int, error) {
	return f.write(f.op(vWrite), func() (int, error) { return f.File.Write(b) },
		func(n int) { f.node.data = append(f.node.data, b[:n]...) })
}

func (f *file) WriteAt(b []byte, off int64) (int, error) {
	o := f.op(vWrite)
	o.how = "over what was there"
	return f.write(o, func() (int, error) { return f.File.WriteAt(b, off) }, func(n int) {
		f.node.data = append(append(slices.Clone(f.node.data[:off]), b[:n]...), f.node.data[min(len(f.node.data), int(off)+n):]...)
	})
}

// write makes the write o, which call does, and notes with note what came of it.
func (f *file) write(o op, call func() (int, error), note func(n int)) (int, error) {
	if !f.p.begin(o) {
		return 0, errDead
	}
	f.p.touch(data, f.node, "", writes)
	n, err := call()
	f.p.w.disk.change(f.node, func() { note(n) })
	if f.node.name == protocol.GenerationName && f.node.parent != nil {
		if id, ok := protocol.ParseIDFile(f.node.data); ok {
			f.node.parent.of = id
		}
	}
	f.p.end(n > 0, mix(uint64(n), resultOf(err)))
	return n, err
}

func (f *file) Stat() (vfs.Info, error) {
	if !f.p.begin(f.op(vStat)) {
		return vfs.Info{}, errDead
	}
	info, err := f.File.Stat()
	if err != nil {
		return info, f.p.failed(err)
	}
	return f.p.info(f.node, info), nil
}

func (f *file) Chmod(perm fs.FileMode) error {
	if !f.p.begin(f.op(vChmod)) {
		return errDead
	}
	return f.p.chmod(f.node, perm, f.File.Chmod)
}

// Flock is an update when it shares a lock: those who share do not see each
// other, only who wants it for itself.
func (f *file) Flock(how vfs.LockMode) error {
	o := f.op(vFlock)
	o.how = "shared"
	if how == vfs.Exclusive {
		o.how, o.at.alone = "exclusive", true
	}
	if !f.p.begin(o) {
		return errDead
	}
	err := f.File.Flock(how)
	switch {
	case err != nil:
		f.p.touch(locks, f.node, "", reads)
		return f.p.failed(err)
	case how == vfs.Exclusive:
		f.p.touch(locks, f.node, "", writes)
	default:
		f.p.touch(locks, f.node, "", updates)
	}
	f.drop()
	f.held = &flock{f.p.n, how == vfs.Exclusive}
	f.p.w.disk.lock(f.node, *f.held)
	f.p.locked = append(f.p.locked, f)
	f.p.end(how == vfs.Exclusive, 0)
	return nil
}

// drop forgets the lock of f.
func (f *file) drop() {
	if f.held != nil {
		f.p.w.disk.unlock(f.node, *f.held)
		f.held = nil
	}
}

func (f *file) Sync() error {
	if f.p.dead {
		return errDead
	}
	return f.File.Sync()
}

// Close is a step only when a lock goes with it.
func (f *file) Close() error {
	if f.held == nil {
		if f.p.dead {
			return errDead
		}
		return f.File.Close()
	}
	if !f.p.begin(f.op(vClose)) {
		return errDead
	}
	how, exclusive := updates, f.held.exclusive
	if exclusive {
		how = writes
	}
	f.p.touch(locks, f.node, "", how)
	err := f.File.Close()
	f.drop()
	f.p.unlocked(f)
	f.p.end(exclusive, resultOf(err))
	return err
}

// resultOf numbers what an operation came to, so that equal outcomes have equal
// hashes.
func resultOf(err error) uint64 {
	if err == nil {
		return 0
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return mixString(1, pe.Err.Error())
	}
	s := err.Error()
	return mixString(2, s[strings.LastIndex(s, ":")+1:])
}
