// Package vfs is the dozen file operations the protocol needs, on a directory
// handle, with the meaning of the system calls and not of package os.
//
// Two implementations exist: the operating system (OS) and a model file system
// for tests (memfs). One conformance suite runs on both.
//
// What differs from package os, and why:
//
//   - Names are single path elements below an open directory. No link is ever
//     followed below a handle (rule 11), and a handle keeps meaning the same
//     directory after it was renamed or removed.
//   - Rename is rename(2): a directory replaces an empty directory. os.Rename
//     looks first and refuses any directory, which would let an empty current/
//     wedge a lock for ever (rule 1).
//   - Errors are *fs.PathError or *os.LinkError around the errno, never
//     retried and never translated, so that the caller can judge them by
//     position (rule 9).
package vfs

import (
	"io/fs"
	"os"
	"time"
)

// FS reaches directories and files by path. Parents of a path may be links, its
// last element is never followed.
type FS interface {
	// OpenDir opens the real directory at path. A link or another file type
	// in its place is an error (ENOTDIR or ELOOP; see IsNotDir).
	OpenDir(path string) (Dir, error)
	// OpenParent is OpenDir, but follows a link at path: for the directory a
	// caller chose, not for one the protocol made.
	OpenParent(path string) (Dir, error)
	// Lstat describes what is at path, without following its last element.
	Lstat(path string) (Info, error)
	// Rename is one rename(2) from path to path. With NoReplace it fails with
	// EEXIST when newpath exists; a file system that cannot do that fails
	// with an error for which IsUnsupported holds. With Exchange both names
	// must exist and are swapped.
	Rename(oldpath, newpath string, how RenameFlag) error
}

// Dir is an open directory. It stays valid, and stays the same directory, when
// the directory is renamed or removed: creating below a removed one fails with
// ENOENT. A Dir may be used by several goroutines, except Close.
type Dir interface {
	// Path is the path by which the directory was reached when it was opened.
	// It is for messages: nothing may be assumed to be there now.
	Path() string
	// OpenDir opens the real directory name. See FS.OpenDir.
	OpenDir(name string) (Dir, error)
	// Mkdir makes the directory name. The process's umask applies to mode.
	Mkdir(name string, mode fs.FileMode) error
	// Open opens the file name without following a link and without blocking
	// on a fifo. The caller must look at File.Stat before believing that it
	// is a regular file.
	Open(name string, how OpenFlag, mode fs.FileMode) (File, error)
	// Lstat describes name without following it.
	Lstat(name string) (Info, error)
	// Stat describes the directory itself. Nlink is 0 on most file systems
	// once it was removed, which may not be relied on.
	Stat() (Info, error)
	// Chmod changes the mode of the directory itself.
	Chmod(mode fs.FileMode) error
	// Rename is rename(2) of name in this directory to newname in to, which
	// must come from the same FS.
	Rename(name string, to Dir, newname string, how RenameFlag) error
	// Remove unlinks name, which is not a directory.
	Remove(name string) error
	// Rmdir removes the empty directory name. It can never remove a
	// generation, since a generation is never empty.
	Rmdir(name string) error
	// Names lists at most max names (all if max <= 0) in no order, without
	// "." and "..". It lists from the beginning at every call.
	Names(max int) ([]string, error)
	// Kind tells on which kind of file system the directory lies.
	Kind() (Kind, error)
	Close() error
}

// File is an open file.
type File interface {
	Read(p []byte) (int, error)
	Write(p []byte) (int, error)
	// WriteAt is pwrite(2): it writes p over what is at off, and never truncates.
	// Where Write goes on afterwards differs between systems.
	WriteAt(p []byte, off int64) (int, error)
	Stat() (Info, error)
	Chmod(mode fs.FileMode) error
	// Flock takes a lock on the open file description without blocking. A
	// lock somebody else has is an error for which IsBusy holds. The lock
	// goes with the last descriptor of the description, so with Close unless
	// a child process inherited it; there is no unlock on purpose (rule 7).
	Flock(how LockMode) error
	Sync() error
	Close() error
}

// OSFile is implemented by files and directories of an operating system that has
// descriptors, which can be handed to a child process or watched.
type OSFile interface {
	// Descriptor is the file descriptor. It stays owned by the File or Dir.
	Descriptor() uintptr
}

// LockMode says how Flock locks.
type LockMode int

const (
	Shared LockMode = iota
	Exclusive
)

// OpenFlag says how Open opens.
type OpenFlag int

const (
	// Read opens an existing file for reading.
	Read OpenFlag = iota
	// ReadWrite opens an existing file for reading and writing.
	ReadWrite
	// Create makes a new file for reading and writing; EEXIST if the name
	// is taken, also by a dangling link.
	Create
	// Truncate opens an existing file for reading and writing, and empties it. Only
	// the old programs do that, which the tests emulate.
	Truncate
)

// RenameFlag says what Rename does with an existing target.
type RenameFlag int

const (
	// Plain is rename(2).
	Plain RenameFlag = iota
	// NoReplace fails with EEXIST when the target exists.
	NoReplace
	// Exchange swaps two existing names.
	Exchange
)

// Info describes one file.
type Info struct {
	Dev, Ino uint64
	Mode     fs.FileMode
	Size     int64
	Nlink    uint64
	UID, GID uint32
	ModTime  time.Time
}

// ID identifies a file while something keeps it alive: inode numbers are given
// out again, so two IDs may only be compared while one side is held open.
type ID struct{ Dev, Ino uint64 }

// ID returns the file's device and inode.
func (i Info) ID() ID { return ID{i.Dev, i.Ino} }

// IsDir tells whether this is a real directory.
func (i Info) IsDir() bool { return i.Mode.IsDir() }

// IsRegular tells whether this is a regular file.
func (i Info) IsRegular() bool { return i.Mode.IsRegular() }

// Kind is a kind of file system.
type Kind struct {
	// Name is the usual name ("ext4", "tmpfs", "nfs"), or a number in hex for
	// one this package does not know.
	Name string
	// Local holds for the file systems on which a lock, a pid and a device
	// number are known to be those of this very kernel. It is a positive
	// list: ext2/3/4, xfs, btrfs, zfs, f2fs, tmpfs, overlay, apfs, ufs, ntfs.
	Local bool
}

// pathError and linkError keep the shape of package os, so that errors.As finds
// what every Go program expects.
func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// nameError is pathError for a name in a directory. The path is put together only
// when it is needed: every turn opens and removes a handful of names.
func nameError(op, dir, name string, err error) error {
	if err == nil {
		return nil
	}
	return pathError(op, join(dir, name), err)
}

func linkError(op, oldpath, newpath string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: oldpath, New: newpath, Err: err}
}
