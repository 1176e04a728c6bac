package genlock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"time"

	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// Lock is one lock: a path on which processes agree. It holds no resources and
// may be used by many goroutines, which line up in the order they came.
type Lock struct {
	path    string // absolute
	given   string // as the caller wrote it, for messages
	options Options
	// dialects are the old protocols that the options name.
	dialects legacy.Set
	key      string // of its root, where roots are kept
	err      error  // what is wrong with the path or the options
}

// New names the lock at path. It touches nothing: what is wrong with the path or
// the options is reported by the first use. nil options are good defaults. A
// relative path is resolved now, so that a later chdir does not matter.
func New(path string, options *Options) *Lock {
	l := &Lock{given: path, path: path}
	if options != nil {
		l.options = *options
	}
	if l.options.Format == "" {
		l.options.Format = protocol.Genlock
	}
	if l.err = protocol.CheckLockPath(path); l.err == nil {
		l.err = l.options.Format.Validate()
	}
	if l.err == nil {
		l.dialects, l.err = parseDialects(&l.options)
	}
	if l.err == nil {
		l.path, l.err = filepath.Abs(path)
	}
	// The format belongs to it: the marker was read for it.
	l.key = l.path + "\x00" + string(l.options.Format)
	if l.err == nil && l.options.Log != "" {
		l.options.Log, l.err = filepath.Abs(l.options.Log)
	}
	return l
}

// Path maps any key, of any bytes and any length, to a lock path below dir: the
// same in every process, distinct for distinct keys, also where the file system
// folds case or Unicode forms, and short enough for every helper name.
func Path(dir, key string) string {
	sum := sha256.Sum256([]byte(key))
	name := hex.EncodeToString(sum[:16])
	if readable := readableKey(key); readable != "" {
		name = readable + "-" + name
	}
	return filepath.Join(dir, name+".lock")
}

// readableKey keeps what of a key is safe in a file name everywhere, so that a
// listing tells a person something. The hash alone makes the name distinct.
func readableKey(key string) string {
	const most = 40
	s := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, key)
	if len(s) > most {
		s = s[:most]
	}
	return strings.Trim(s, "-")
}

// Path is the absolute path of the lock.
func (l *Lock) Path() string { return l.path }

// Status looks at the lock and writes nothing. What cannot be looked at is an
// Observation as well, together with the error that says why.
func (l *Lock) Status(ctx context.Context) (*observer.Observation, error) {
	if l.err != nil {
		return nil, l.err
	}
	seen, err := observer.Look(ctx, l.path, l.options.Format)
	if err == nil {
		err = l.seeOld(ctx, seen)
	}
	return seen, err
}

func (l *Lock) emit(e Event, now time.Time) {
	if e.Kind != EventWaiting {
		l.record(e, now) // of a wait only what changes is recorded
	}
	if l.options.OnEvent == nil {
		return
	}
	e.Lock, e.Time = l.given, now
	l.options.OnEvent(e)
}
