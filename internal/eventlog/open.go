package eventlog

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"genlock.dev/genlock/internal/vfs"
)

// ErrLink: a log that nobody named is a link. In a directory that several share anybody
// could have put it there, and had us write into a file of ours, or of its reader's.
var ErrLink = errors.New("it is a link, which is not followed unless the log is named (--log FILE)")

// openFile opens the log, or its predecessor, at path. It never waits, in case that is a
// fifo: whoever writes may hold a lock, and whoever reads wants an answer.
func (l Log) openFile(path string, flags int) (*os.File, error) {
	if l.Found {
		flags = flags&^os.O_CREATE | noFollow
	}
	f, err := os.OpenFile(path, flags|syscall.O_NONBLOCK, 0o666)
	if !l.Found {
		return f, err
	}
	// The flag says it in one step where there is one; what is opened nevertheless is
	// compared with what stands there.
	there, lerr := os.Lstat(path)
	if lerr == nil && there.Mode()&fs.ModeSymlink != 0 {
		lerr = &fs.PathError{Op: "open", Path: path, Err: ErrLink}
	} else if lerr == nil && !there.Mode().IsRegular() {
		lerr = &fs.PathError{Op: "open", Path: path, Err: vfs.ErrNotRegular}
	}
	if lerr != nil && !errors.Is(lerr, fs.ErrNotExist) {
		if err == nil {
			f.Close()
		}
		return nil, lerr
	}
	return f, err
}
