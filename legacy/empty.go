package legacy

import (
	"errors"

	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// emptyInPlace is moveAway for a directory that cannot be renamed at all, since it
// lies in an overlay's lower layer, baked into an image (rule 10). Nothing but
// the directory that was judged can be hit through its handle.
func (s *slot) emptyInPlace(cause error, stillMeant func() (bool, error)) error {
	if stillMeant != nil {
		if meant, err := stillMeant(); err != nil || !meant {
			return errors.Join(err, ErrMoved)
		}
	}
	return s.empty(cause)
}

// empty deletes through the handle, which cannot hit a successor, and then removes
// the directory by the one call that removes nothing but an empty one. The
// record goes last: as long as it is there whoever comes next can judge it. What is not a
// lock's stays.
func (s *slot) empty(cause error) error {
	clearLock(s.dir, recordName)
	if same, err := s.same(); err == nil && same && s.parent.Rmdir(s.base) == nil {
		return nil
	}
	if same, err := s.same(); err == nil && !same {
		return nil
	}
	return cause
}

// retireV2InPlace is retireV2 for a generation that cannot be renamed: a tombstone
// that holds nothing but its name stands in for it, so that a late rename with
// its fence fails; then it is emptied through its handle.
func retireV2InPlace(r *tree.Root, id protocol.ID, dir vfs.Dir, info vfs.Info) error {
	if only, err := holdsOnly(dir, ofOldGeneration); err != nil || !only {
		return errors.Join(err, errMixed)
	}
	fresh, err := r.Env.NewID()
	if err != nil {
		return err
	}
	retired, err := r.Retired()
	if err != nil || retired == nil {
		return errors.Join(err, ErrMoved)
	}
	defer retired.Close()
	s := &slot{env: r.Env, parent: r.Dir}
	name := protocol.CandidateName(fresh)
	err = s.make(name, func(dir vfs.Dir) error {
		return vfs.WriteFile(dir, protocol.GenerationName, id.Line(), info.Mode.Perm()&0o666)
	})
	if err != nil {
		return err
	}
	s.dir.Close()
	err = r.Dir.Rename(name, retired, string(id), vfs.Plain)
	if err != nil {
		vfs.RemoveAll(r.Dir, name, nil)
	}
	if vfs.IsNotEmpty(err) && !standsIn(retired, id) {
		return tomb.ErrFenced
	}
	if err != nil && !vfs.IsNotEmpty(err) {
		return err
	}
	if same, err := r.IsCurrent(info.ID()); err != nil || !same {
		return errors.Join(err, ErrMoved)
	}
	if err := clearLock(dir, protocol.GenerationName); err != nil {
		return err
	}
	// It holds nothing any more, or what arrived this instant and is nobody's to delete.
	err = r.Dir.Rmdir(protocol.CurrentName)
	if same, serr := r.IsCurrent(info.ID()); serr == nil && !same {
		return nil
	}
	return missingIsFine(err)
}

// errMixed: a generation that can only be emptied where it lies holds what is no lock's.
var errMixed = errors.New("it cannot be moved, and holds what no old lock does; nothing was changed")

// standsIn tells whether the tombstone of id is one that holds nothing but its name:
// somebody who died had begun to empty the generation.
func standsIn(retired vfs.Dir, id protocol.ID) bool {
	d, err := retired.OpenDir(string(id))
	if err != nil {
		return false
	}
	defer d.Close()
	names, err := d.Names(0)
	return err == nil && len(names) == 1 && names[0] == protocol.GenerationName
}
