package legacy

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

const (
	recordName = "owner.json"
	holdSuffix = ".hold-"
)

// holdName is where our old lock lies before it is taken and after it is
// released, beside L. It is made from the v3 generation, so that whoever
// reclaims that generation finds it without listing anything.
func holdName(base string, generation protocol.ID) string {
	return base + holdSuffix + string(generation)
}

// take puts a directory filled by fill at L and returns it open. It is complete
// from the instant it appears, where the file system can rename without
// replacing: a plain rename would replace an empty L, which may be a live old
// holder's. Otherwise it is made in place; that our own record announced it
// before lets others recognise what a crash leaves.
func take(ctx context.Context, at Place, fill func(vfs.Dir) error) (*slot, error) {
	s := &slot{env: env.From(ctx), at: at, base: filepath.Base(at.Lock)}
	var err error
	if s.parent, err = s.env.FS.OpenParent(filepath.Dir(at.Lock)); err != nil {
		return nil, err
	}
	name := holdName(s.base, at.Mine)
	err = s.make(name, fill)
	if err == nil {
		if err = s.publish(name); err != nil {
			s.dir.Close()
			discardHold(s.env, s.parent, s.base, name)
		}
		if vfs.IsUnsupported(err) {
			err = s.make(s.base, fill)
		}
	}
	if err != nil {
		s.parent.Close()
		return nil, err
	}
	return s.taken()
}

// make makes the directory name, fills it and keeps it open. Nothing of it is left
// when that fails, unless somebody else put his own in its place.
func (s *slot) make(name string, fill func(vfs.Dir) error) error {
	if err := s.parent.Mkdir(name, 0o777); err != nil {
		if _, lerr := s.parent.Lstat(name); lerr == nil {
			return ErrHeld
		}
		return err
	}
	dir, err := s.parent.OpenDir(name)
	if err != nil {
		// Empty, if it is still ours; and then rmdir is all it takes.
		s.parent.Rmdir(name)
		return err
	}
	s.dir = dir
	if s.info, err = dir.Stat(); err == nil {
		s.kind, err = dir.Kind()
	}
	if err == nil {
		err = share(s.parent, dir, s.info)
	}
	if err == nil {
		err = fill(dir)
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		err = ErrHeld // a record that is there already is a thief's
	} else if now, lerr := s.parent.Lstat(name); lerr == nil && now.ID() == s.info.ID() {
		(&slot{env: s.env, at: s.at, parent: s.parent, base: name, dir: dir, info: s.info}).empty(nil)
	}
	dir.Close()
	return err
}

// share takes the group's rights from a parent that is marked as shared: cleaning
// up after us needs them (rule 13).
func share(parent, dir vfs.Dir, own vfs.Info) error {
	of, err := parent.Stat()
	if err != nil || of.Mode&fs.ModeSetgid == 0 {
		return err
	}
	return dir.Chmod(own.Mode | of.Mode.Perm()&0o070)
}

// publish renames name to L without replacing. A rename that reports failure may
// have happened (rule 10).
func (s *slot) publish(name string) error {
	how := vfs.NoReplace
	if mutant.On(mutant.PlainTake) {
		how = vfs.Plain
	}
	err := s.parent.Rename(name, s.parent, s.base, how)
	if err == nil || vfs.IsUnsupported(err) {
		return err
	}
	there, lerr := s.parent.Lstat(s.base)
	switch {
	case lerr == nil && there.ID() == s.info.ID():
		return nil
	case lerr == nil, vfs.IsNotEmpty(err):
		return ErrHeld
	case vfs.IsVanished(err):
		return ErrMoved // swept as litter: the caller starts again
	}
	return err
}

// taken makes sure that L leads to what we put there.
func (s *slot) taken() (*slot, error) {
	same, err := s.same()
	if err == nil && same {
		return s, nil
	}
	if err != nil {
		return nil, errors.Join(err, holdSlot(s).Release())
	}
	s.close()
	return nil, ErrMoved
}

// discardHold renames what lies at name to a fresh name and deletes it there: a
// maker that was only stopped finds its name gone and cannot publish it torn
// (rule 8).
func discardHold(e *env.Env, parent vfs.Dir, base, name string) error {
	id, err := e.NewID()
	if err != nil {
		return err
	}
	fresh := holdName(base, id)
	if err := parent.Rename(name, parent, fresh, vfs.Plain); err != nil {
		return missingIsFine(err)
	}
	return discardLock(parent, fresh)
}

// sweepHold is Dialect.Sweep for dialects that take L.
func sweepHold(ctx context.Context, at Place, generation protocol.ID) error {
	e, base := env.From(ctx), filepath.Base(at.Lock)
	parent, err := e.FS.OpenParent(filepath.Dir(at.Lock))
	if err != nil {
		return missingIsFine(err)
	}
	defer parent.Close()
	return discardHold(e, parent, base, holdName(base, generation))
}

// writeRecord is how a dialect whose record lies in L fills it: complete under its
// name from the start, also where the directory is known already.
func writeRecord(e *env.Env, generation protocol.ID) func(vfs.Dir) error {
	return func(dir vfs.Dir) error {
		data, err := ownRecord(e, generation).encode()
		if err != nil {
			return err
		}
		info, err := dir.Stat()
		if err != nil {
			return err
		}
		temp := tempPrefix + tokenOf(generation) + tempSuffix
		if err := vfs.WriteFile(dir, temp, data, info.Mode.Perm()&0o666); err != nil {
			return err
		}
		return renameNew(dir, temp, recordName)
	}
}
