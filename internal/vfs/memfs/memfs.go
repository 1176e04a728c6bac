// Package memfs is a file system in memory with the semantics that were measured
// on Linux: a model to test against, in which the faults happen that a real disk
// shows once a year.
//
// An FS is a disk with its kernel. Programs reach it through a Process, which is
// a vfs.FS: it has a user, a umask and descriptors, and Kill drops them all, as
// the kernel does. Methods of FS itself are the hands of the test: they plant
// what vfs cannot make (links, fifos, other owners) and pass no permission check.
//
// What a machine that loses power leaves behind is modelled in power.go.
//
// Everything is deterministic: the same calls in the same order give the same
// inode numbers, the same listings (sorted) and the same Dump. All of it may be
// used from several goroutines; every operation is atomic.
//
// Not modelled: hard links, sizes of directories, access and change times,
// blocking locks, data in fifos, access control lists, supplementary groups.
package memfs

import (
	"sync"
	"syscall"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

// Options shape one file system. The zero value is an unlimited, writable,
// local file system that behaves like ext4 and whose clock stands still.
type Options struct {
	// Kind is what Dir.Kind answers; zero means {"memfs", local}.
	Kind vfs.Kind
	// NotEmpty is the error of a rename onto a directory with entries; zero
	// means ENOTEMPTY. On xfs it is EEXIST.
	NotEmpty syscall.Errno
	// Bytes and Inodes are what fits; zero means no limit. Only the contents
	// of files count as bytes. A removed file counts until it is closed.
	Bytes  int64
	Inodes int
	// ReuseInodes gives the number of the last freed inode to the next new
	// one, as ext4 does. Otherwise no number comes twice.
	ReuseInodes bool
	// ReadOnly refuses every change with EROFS. See FS.SetReadOnly.
	ReadOnly bool
	// Durable makes every change durable at once and keeps no log, for long
	// runs in which no power fails.
	Durable bool
	// FoldCase takes names that differ only in case for the same name.
	FoldCase bool
	// Windows is explained in winrules.go.
	Windows bool
	// Clock gives modification times. Nil is a clock that always says Epoch.
	Clock func() time.Time
}

// Epoch is the time of the clock that stands still.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// FS is a machine's disk: one tree of one or more file systems.
type FS struct {
	mu      sync.Mutex
	root    *node
	volumes []*volume
	procs   []*Process // by id, from 1; index 0 is the test's own hand
	log     []Change   // not yet durable, oldest first
}

// New returns an empty file system: a root directory of mode 0755, owned by
// user 0.
func New(opt Options) *FS {
	f := &FS{}
	vol := f.addVolume(opt)
	f.root = vol.newNode(modeDir | 0o755)
	f.start(User{})
	return f
}

// Mount puts another file system over the empty directory at path: another
// device, so that a rename between the two fails with EXDEV. A nil Clock means
// that of the root file system. Durable is that of the root, too.
func (f *FS) Mount(path string, opt Options) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.hand().walk(path, false)
	if err != nil {
		return pathError("mount", path, err)
	}
	n := at.node
	switch {
	case n == nil:
		return pathError("mount", path, syscall.ENOENT)
	case !n.isDir():
		return pathError("mount", path, syscall.ENOTDIR)
	case len(n.names) > 0 || n.mountpoint || at.dir == nil:
		return pathError("mount", path, syscall.EBUSY)
	}
	if opt.Clock == nil {
		opt.Clock = f.volumes[0].opt.Clock
	}
	opt.Durable = f.volumes[0].opt.Durable
	n.vol.free(n)
	vol := f.addVolume(opt)
	n.vol, n.ino, n.mountpoint = vol, vol.takeIno(), true
	vol.inodes++
	return nil
}

// SetReadOnly makes the file system that holds path read-only, or writable
// again. Files that are open for writing are refused, too, as on a disk that
// the kernel remounted after an error.
func (f *FS) SetReadOnly(path string, on bool) error {
	return f.edit("remount", path, func(n *node) error {
		n.vol.opt.ReadOnly = on
		return nil
	})
}

// SetLimits changes how many bytes and inodes fit into the file system that
// holds path; zero means no limit. What is there already stays.
func (f *FS) SetLimits(path string, bytes int64, inodes int) error {
	return f.edit("limit", path, func(n *node) error {
		n.vol.opt.Bytes, n.vol.opt.Inodes = bytes, inodes
		return nil
	})
}

// edit runs change on what is at path, following no last link.
func (f *FS) edit(op, path string, change func(*node) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.hand().walk(path, false)
	if err == nil && at.node == nil {
		err = syscall.ENOENT
	}
	if err == nil {
		err = change(at.node)
	}
	return pathError(op, path, err)
}

func (f *FS) hand() *Process { return f.procs[0] }
