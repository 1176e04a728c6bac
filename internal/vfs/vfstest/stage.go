package vfstest

import (
	"io/fs"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

// Planter plants what vfs cannot make.
type Planter interface {
	Symlink(target, path string) error
	Fifo(path string) error
}

// Impersonator runs do as another user, with that user's view of the file
// system. An error means that this cannot be done here, and why.
type Impersonator interface {
	As(uid, gid uint32, umask fs.FileMode, do func(under vfs.FS)) error
}

// Inheritor gives another process a descriptor of the same description. The
// function it returns closes that descriptor.
type Inheritor interface {
	Inherit(f vfs.File) (drop func() error, err error)
}

// Neighbour knows an existing directory on another device.
type Neighbour interface {
	OtherDevice() string
}

// Limiter makes an empty file system of the given size, on which a page is at
// most 4096 bytes, and returns a view and a directory. inodes is what can be
// made in that directory.
type Limiter interface {
	Limited(t *testing.T, bytes int64, inodes int) (under vfs.FS, dir string)
}

// Sealer makes a file system, lets fill put things into the directory, makes it
// read-only and returns it.
type Sealer interface {
	Sealed(t *testing.T, fill func(under vfs.FS, dir string)) (under vfs.FS, dir string)
}

// need returns fs as a T, or skips the case.
func need[T any](t *testing.T, fs vfs.FS, what string) T {
	t.Helper()
	able, ok := fs.(T)
	if !ok {
		t.Skipf("this file system cannot %s", what)
	}
	return able
}

func (s *stage) planter(t *testing.T) Planter {
	t.Helper()
	return need[Planter](t, s.fs, "plant links and fifos")
}

func (s *stage) as(t *testing.T, uid, gid uint32, umask fs.FileMode, do func(under vfs.FS)) {
	t.Helper()
	who := need[Impersonator](t, s.fs, "act as another user")
	if err := who.As(uid, gid, umask, do); err != nil {
		t.Skipf("cannot act as another user: %v", err)
	}
}

func oddMark(info vfs.Info) string {
	switch {
	case info.Mode&fs.ModeSymlink != 0:
		return "@"
	case info.Mode&fs.ModeNamedPipe != 0:
		return "|"
	}
	return "?"
}
