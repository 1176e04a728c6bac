package legacy

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// slot is the directory at L as one look found it. As long as it is open no other
// directory can have its device and inode, so that "still the same" means it.
type slot struct {
	env    *env.Env
	at     Place
	parent vfs.Dir
	base   string
	dir    vfs.Dir
	info   vfs.Info
	kind   vfs.Kind
}

// openSlot opens the directory at L; nil when there is none.
func openSlot(ctx context.Context, at Place) (*slot, error) {
	s := &slot{env: env.From(ctx), at: at, base: filepath.Base(at.Lock)}
	var err error
	if s.parent, err = s.env.FS.OpenParent(filepath.Dir(at.Lock)); err != nil {
		return nil, missingIsFine(err)
	}
	if err = s.open(); err != nil {
		s.parent.Close()
		return nil, missingIsFine(err)
	}
	return s, nil
}

func (s *slot) open() (err error) {
	if s.dir, err = s.parent.OpenDir(s.base); err != nil {
		return unsafeAt(s.parent, s.base, "an old lock's directory, or nothing", err)
	}
	if s.info, err = s.dir.Stat(); err == nil {
		s.kind, err = s.dir.Kind()
	}
	if err != nil {
		s.dir.Close()
	}
	return err
}

func (s *slot) close() {
	s.dir.Close()
	s.parent.Close()
}

// path is where name lies beside L, for messages.
func (s *slot) path(name string) string { return filepath.Join(s.parent.Path(), name) }

// same looks L up anew by path and tells whether it is still this directory.
func (s *slot) same() (bool, error) {
	var info vfs.Info
	err := vfs.Again(func() (err error) {
		info, err = s.parent.Lstat(s.base)
		return err
	})
	if absent(err) {
		return false, nil
	}
	return err == nil && info.ID() == s.info.ID(), err
}

// age is how long ago the directory was changed last, by two clocks that may
// disagree. It proves nothing by itself.
func (s *slot) age() time.Duration { return s.env.Clock.Now().Sub(s.info.ModTime) }

// moveAway renames L to the sibling name, and only if it is still this directory.
// Old programs look at nothing, so it verifies afterwards what was moved, and
// asks stillMeant (if not nil) whether it is still the lock that was judged; if
// not, what was moved is put back without replacing anything.
//
// ErrMoved when L was not moved, or was put back; *DisplacedError when its place
// was taken meanwhile. A rename that reports failure may have happened (rule
// 10): what lies there decides.
func (s *slot) moveAway(name string, stillMeant func() (bool, error)) error {
	same, err := s.same()
	if err != nil {
		return err
	}
	// What an earlier try moved without being able to see it lies there already:
	// nobody but us moves anything to name.
	err = ErrMoved
	if same {
		err = s.parent.Rename(s.base, s.parent, name, vfs.Plain)
	}
	if vfs.IsCrossDevice(err) {
		return s.emptyInPlace(err, stillMeant)
	}
	moved, lerr := s.parent.Lstat(name)
	if lerr == nil && moved.ID() == s.info.ID() {
		if stillMeant == nil {
			return nil
		}
		if meant, merr := stillMeant(); meant && merr == nil {
			return nil
		}
		return s.putBack(name)
	}
	if err == nil {
		return s.movedAnother(name, lerr)
	}
	if same, serr := s.same(); serr == nil && !same && lerr != nil && !absent(lerr) {
		return lerr // it cannot be told where it is
	} else if serr == nil && !same {
		return ErrMoved
	}
	return err
}

// movedAnother settles a rename that succeeded and moved something else, or
// something that is gone from there already.
func (s *slot) movedAnother(name string, lerr error) error {
	if lerr == nil {
		return s.putBack(name)
	}
	if !absent(lerr) {
		return lerr
	}
	return ErrMoved
}

// putBack returns to L what was moved by mistake. Where renaming cannot refuse to
// replace, an empty directory that an old program made this instant would be
// replaced; then the place is looked at first, which leaves a short window.
func (s *slot) putBack(name string) error {
	err := vfs.Again(func() error { return s.parent.Rename(name, s.parent, s.base, vfs.NoReplace) })
	if vfs.IsUnsupported(err) {
		if _, lerr := s.parent.Lstat(s.base); lerr == nil {
			err = fs.ErrExist
		} else {
			err = s.parent.Rename(name, s.parent, s.base, vfs.Plain)
		}
	}
	switch {
	case err == nil, absent(err):
		return ErrMoved
	case vfs.IsNotEmpty(err):
		return &DisplacedError{Lock: s.at.Lock, NowLiesAt: s.path(name)}
	}
	return errors.Join(&DisplacedError{Lock: s.at.Lock, NowLiesAt: s.path(name)}, err)
}

// unsafeAt turns "not a directory" or "not a regular file" into the typed error
// that says what is there (rule 11).
func unsafeAt(d vfs.Dir, name, want string, err error) error {
	if !vfs.IsNotDir(err) && !errors.Is(err, vfs.ErrNotRegular) {
		return err
	}
	info, lerr := d.Lstat(name)
	if lerr != nil {
		return err
	}
	return &protocol.UnsafeError{Path: filepath.Join(d.Path(), name), Mode: info.Mode, Want: want}
}

// absent tells whether the answer proves that nothing is there. ESTALE does not: of a
// name that changed hands a moment ago a network file system says so, too, and it
// is passed on, so that the caller looks again (rule 9).
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func missingIsFine(err error) error {
	if absent(err) {
		return nil
	}
	return err
}
