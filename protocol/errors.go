package protocol

import (
	"errors"
	"fmt"
	"io/fs"
)

// Sentinels. The typed errors below match them with errors.Is.
var (
	// ErrFormat: the root speaks another format, or is no lock root.
	ErrFormat = errors.New("another lock format")
	// ErrTooNew: the root was made by a later version of the wanted format.
	ErrTooNew = errors.New("lock format is too new")
	// ErrNotRoot: what stands in the root's place is not a lock root.
	ErrNotRoot = errors.New("not a lock root")
	// ErrUnsafePath: a link or an odd file type stands where the protocol
	// wants a real directory or a regular file (rule 11).
	ErrUnsafePath = errors.New("unsafe path")
	// ErrUsage: the caller's own input cannot be right.
	ErrUsage = errors.New("wrong usage")
)

// FormatError says which format was found and which one was wanted.
type FormatError struct {
	Path  string // the marker, filled in by whoever read it
	Found string // printable
	Want  Format
	// TooNew: a later version of the wanted format. Valid: any format at all.
	TooNew, Valid bool
}

func (e *FormatError) Error() string {
	switch {
	case e.TooNew:
		return fmt.Sprintf("%s: lock format %s is newer than %s; a newer genlock is needed", e.Path, e.Found, e.Want)
	case e.Valid:
		return fmt.Sprintf("%s: lock format is %s, wanted %s", e.Path, e.Found, e.Want)
	case e.Found == "":
		return fmt.Sprintf("%s: the marker is empty, so this is not a lock root of format %s", e.Path, e.Want)
	}
	return fmt.Sprintf("%s: the marker reads %q, so this is not a lock root of format %s", e.Path, e.Found, e.Want)
}

// Is matches ErrTooNew, ErrFormat or ErrNotRoot.
func (e *FormatError) Is(target error) bool {
	switch target {
	case ErrTooNew:
		return e.TooNew
	case ErrFormat:
		return !e.TooNew
	case ErrNotRoot:
		return !e.Valid
	}
	return false
}

// UnsafeError names a path at which something else stands than the protocol
// allows. Nothing behind it was read or changed.
type UnsafeError struct {
	Path string
	Mode fs.FileMode // what is there
	Want string      // "a directory" or "a regular file"
}

func (e *UnsafeError) Error() string {
	return fmt.Sprintf("%s is %s, not %s; nothing was changed", e.Path, describeMode(e.Mode), e.Want)
}

// Is matches ErrUnsafePath.
func (e *UnsafeError) Is(target error) bool { return target == ErrUnsafePath }

func describeMode(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m.IsRegular():
		return "a file"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "a fifo"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// UsageError says what of the caller's input is wrong, and why.
type UsageError struct{ What, Why string }

func (e *UsageError) Error() string { return e.What + ": " + e.Why }

// Is matches ErrUsage.
func (e *UsageError) Is(target error) bool { return target == ErrUsage }
