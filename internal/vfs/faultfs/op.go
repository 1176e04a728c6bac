package faultfs

import (
	"fmt"

	"genlock.dev/genlock/internal/vfs"
)

// Verbs of operations. Opening a file is Open, unless it makes one.
const (
	OpenDir    = "opendir"
	OpenParent = "openparent"
	Lstat      = "lstat"
	Stat       = "stat"
	Rename     = "rename"
	Mkdir      = "mkdir"
	Open       = "open"
	Create     = "create"
	Chmod      = "chmod"
	Remove     = "remove"
	Rmdir      = "rmdir"
	Names      = "names"
	Kind       = "kind"
	Read       = "read"
	Write      = "write"
	Flock      = "flock"
	Sync       = "sync"
	Close      = "close"
)

// Op is one operation.
type Op struct {
	// N counts the operations of an FS from 1, in the order in which they
	// began.
	N int
	// Verb is one of the constants above.
	Verb string
	// Path is what the operation is about, by the path by which its
	// directory was opened. To is the new path of a rename.
	Path, To string
	// How tells variants apart: "noreplace" or "exchange" for a rename, "rw"
	// for an open for writing, "over" for a write over what is there, "shared" or
	// "exclusive" for a flock.
	How string
}

// String is the operation without its number, so that traces of different
// length can be compared.
func (o Op) String() string {
	s := o.Verb
	if o.How != "" {
		s += "(" + o.How + ")"
	}
	s += " " + o.Path
	if o.To != "" {
		s += " -> " + o.To
	}
	return s
}

// Writes tells whether the operation may change what others see on the disk.
func (o Op) Writes() bool {
	switch o.Verb {
	case Rename, Mkdir, Create, Chmod, Remove, Rmdir, Write:
		return true
	}
	return false
}

func renameWord(how vfs.RenameFlag) string {
	switch how {
	case vfs.Plain:
		return ""
	case vfs.NoReplace:
		return "noreplace"
	case vfs.Exchange:
		return "exchange"
	}
	return fmt.Sprintf("flag %d", how)
}

func lockWord(how vfs.LockMode) string {
	if how == vfs.Exclusive {
		return "exclusive"
	}
	return "shared"
}
