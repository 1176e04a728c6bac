package eventlog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

// DefaultLimit is how many bytes a log and its predecessor take together, or half as
// much again while many writers are at the bound at once.
const DefaultLimit = 16 << 20

// OldSuffix ends the name of the predecessor.
const OldSuffix = ".1"

// unread is how long a full fifo is waited for.
const unread = 50 * time.Millisecond

// Log is a place to append to. It holds no resources.
type Log struct {
	Path string
	// Limit bounds the log and its predecessor together, in bytes;
	// 0 is DefaultLimit.
	Limit int64
	// Found: nobody named it, it was found where a log is expected. Then it is never
	// made, and no link is followed to it.
	Found bool
}

// ErrFull: the log has reached its limit and cannot be moved aside.
var ErrFull = errors.New("the event log is full")

// Append adds one entry, in one write. An error means that it may be missing.
func (l Log) Append(e Entry) error {
	data, err := e.encode()
	if err != nil {
		return err
	}
	limit := l.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	const tries = 100 // each means that somebody moved, or is moving, the log aside
	for range tries {
		full, err := l.write(data, limit)
		if err != nil || !full {
			return err
		}
		time.Sleep(time.Millisecond) // whoever moves it has to come to run
	}
	return fmt.Errorf("%s: %w", l.Path, ErrFull)
}

// Check tells whether the log can be written.
func (l Log) Check() error {
	f, err := l.open()
	if err != nil {
		return err
	}
	return f.Close()
}

func (l Log) open() (*os.File, error) {
	return l.openFile(l.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
}

// write appends data. full means that nothing was written: the log was moved
// aside, or should have been and could not.
func (l Log) write(data []byte, limit int64) (full bool, err error) {
	f, err := l.open()
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	size := info.Size() + int64(len(data))
	if info.Mode().IsRegular() && info.Size() > 0 && size > limit/2 {
		// Whoever cannot move it writes on, up to the limit.
		if l.rotate(info) || size > limit {
			return true, nil
		}
	}
	// Nor for a reader who does not read. A file knows no deadline.
	f.SetWriteDeadline(time.Now().Add(unread))
	n, err := f.Write(data)
	if n > 0 && n < len(data) {
		// A torn line must not swallow the next one.
		_, werr := f.Write([]byte("\n"))
		err = errors.Join(err, io.ErrShortWrite, werr)
	}
	return false, err
}

// rotate moves the log that info describes aside, and reports whether somebody has.
// An OS lock on that very file keeps two processes from doing it in turn, which
// would push the full predecessor out in favour of a new one.
func (l Log) rotate(info os.FileInfo) bool {
	path, err := l.real()
	if err != nil {
		return true
	}
	now, err := os.Lstat(path)
	if err != nil || !os.SameFile(info, now) {
		return true
	}
	dir, err := vfs.OS().OpenParent(filepath.Dir(path))
	if err != nil {
		return false
	}
	defer dir.Close()
	name := filepath.Base(path)
	guard, err := dir.Open(name, vfs.ReadWrite, 0)
	if err != nil {
		return false
	}
	defer guard.Close()
	if vfs.IsBusy(guard.Flock(vfs.Exclusive)) {
		return false
	}
	mine, err := guard.Stat()
	if err != nil {
		return false
	}
	there, err := dir.Lstat(name)
	if err != nil || there.ID() != mine.ID() || mine.Size < info.Size() {
		return true // somebody was faster
	}
	return dir.Rename(name, dir, name+OldSuffix, vfs.Plain) == nil
}

// real is where the log lies: a log that was named may be a link, and moving the link
// aside would leave the log at its bound for ever.
func (l Log) real() (string, error) {
	if l.Found {
		return l.Path, nil
	}
	return filepath.EvalSymlinks(l.Path)
}
