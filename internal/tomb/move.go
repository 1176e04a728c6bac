// Package tomb is the one rename that ends a generation, and what becomes of the
// directory afterwards. Holders and reclaimers go through the same code.
package tomb

import (
	"errors"
	"fmt"
	"io/fs"

	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

var (
	// ErrNotCurrent: current is not the directory meant. Somebody retired the
	// generation already, or deleted it by hand.
	ErrNotCurrent = errors.New("the generation is not current any more")
	// ErrFenced: the place of the tombstone is taken, so that a rename with
	// this fence can never succeed again.
	ErrFenced = errors.New("the generation was retired before")
)

// DisplacedError: between our last look and our rename somebody swapped current
// by hand, so that another generation was moved, and it could not be put back.
type DisplacedError struct {
	Lock      string
	Meant     protocol.ID
	Moved     protocol.ID
	NowLiesAt string
}

func (e *DisplacedError) Error() string {
	return fmt.Sprintf("lock %s: somebody replaced the held generation by hand: %s was moved to %s instead of %s",
		e.Lock, e.Moved, e.NowLiesAt, e.Meant)
}

// Move renames current onto the tombstone of id, and only that (rule 2): it looks
// right before that current is the directory dir, which the caller holds open,
// and right after at what was moved. nil means that dir lies at its tombstone.
//
// A rename that reports failure may have happened; Move looks, and only then
// reports. An error that is neither ErrNotCurrent nor ErrFenced is the
// system's own and may be worth another try.
func Move(r *tree.Root, id protocol.ID, dir vfs.ID) error {
	retired, err := MoveTo(r, id, dir)
	if retired != nil {
		retired.Close()
	}
	return err
}

// MoveTo is Move that leaves open where the tombstone lies, for Remove and for the
// caller to close; nil when it is not known.
func MoveTo(r *tree.Root, id protocol.ID, dir vfs.ID) (retired vfs.Dir, err error) {
	if done, err := misled(r, id); done {
		return nil, err
	}
	same, err := r.IsCurrent(dir)
	if err != nil {
		return nil, err
	}
	if !same {
		return nil, ErrNotCurrent
	}
	if retired, err = openRetired(r); err != nil {
		return nil, err
	}
	if err := move(r, retired, id, dir); err != nil {
		retired.Close()
		return nil, err
	}
	return retired, nil
}

func move(r *tree.Root, retired vfs.Dir, id protocol.ID, dir vfs.ID) error {
	err := r.Dir.Rename(protocol.CurrentName, retired, string(id), vfs.Plain)
	if err != nil && mutant.On(mutant.FailureBelieved) {
		return err
	}
	moved, lerr := lookFor(retired, id)
	if lerr == nil && moved.ID() == dir {
		return nil // also when the rename reported failure (rule 10)
	}
	if err == nil {
		if lerr != nil {
			// It was moved and is gone from there: the collector or an
			// operator was faster, and whatever it was is retired.
			return notThere(r, dir, lerr)
		}
		return putBack(r, retired, id)
	}
	if same, serr := r.IsCurrent(dir); serr == nil && !same {
		if lerr != nil && !errors.Is(lerr, fs.ErrNotExist) {
			return &unseenError{lerr} // by whom it was moved cannot be told
		}
		return ErrNotCurrent
	} else if serr != nil {
		return &unseenError{err}
	}
	if vfs.IsNotEmpty(err) {
		return ErrFenced
	}
	return err
}

// unseenError is a failure after a rename of which nobody can tell what it did.
type unseenError struct{ cause error }

func (e *unseenError) Error() string { return e.cause.Error() }
func (e *unseenError) Unwrap() error { return e.cause }

// Unseen tells whether Move has tried the rename and could not see what came of it.
// Then Buried may tell later.
func Unseen(err error) bool {
	var unseen *unseenError
	return errors.As(err, &unseen)
}

// Buried tells whether the directory dir lies at the tombstone of id. It is for
// whoever has tried to move it there and could not see what came of that.
func Buried(r *tree.Root, id protocol.ID, dir vfs.ID) (bool, error) {
	retired, err := r.Retired()
	if err != nil || retired == nil {
		return false, err
	}
	defer retired.Close()
	info, err := lookFor(retired, id)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.ID() == dir, err
}

// lookFor looks for the tombstone of id, and again when that fails: without an
// answer a retirement of our own could be taken for somebody else's.
func lookFor(retired vfs.Dir, id protocol.ID) (info vfs.Info, err error) {
	const tries = 3
	for range tries {
		info, err = retired.Lstat(string(id))
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return info, err
}

// notThere settles a rename that succeeded while its target cannot be seen.
func notThere(r *tree.Root, dir vfs.ID, cause error) error {
	if !errors.Is(cause, fs.ErrNotExist) {
		if same, err := r.IsCurrent(dir); err == nil && !same {
			return nil // what was moved cannot be compared, but it is not there any more
		}
		return &unseenError{cause}
	}
	if same, err := r.IsCurrent(dir); err != nil || same {
		return &unseenError{errors.Join(err, cause)}
	}
	return ErrNotCurrent
}

// putBack returns to current what was moved by mistake. Renaming a directory can
// only ever replace an empty one, so this cannot hit a successor. When the
// place is taken, the stray goes to its own tombstone.
func putBack(r *tree.Root, retired vfs.Dir, id protocol.ID) error {
	if err := retired.Rename(string(id), r.Dir, protocol.CurrentName, vfs.Plain); err == nil {
		return ErrNotCurrent
	}
	stray, err := r.Tombstone(id)
	if err != nil || stray == nil {
		return errors.Join(err, ErrNotCurrent)
	}
	defer stray.Close()
	own, _, err := tree.ReadID(stray.Dir)
	place := string(id)
	if err == nil && own != "" && retired.Rename(string(id), retired, string(own), vfs.NoReplace) == nil {
		place = string(own)
	}
	return &DisplacedError{Lock: r.Lock, Meant: id, Moved: own, NowLiesAt: retired.Path() + "/" + place}
}

// openRetired opens the place of the tombstones, and makes it anew when somebody
// deleted it by hand: without it no generation could ever be retired.
func openRetired(r *tree.Root) (vfs.Dir, error) {
	d, err := r.Retired()
	if err != nil || d != nil {
		return d, err
	}
	if err := r.Dir.Mkdir(protocol.RetiredName, r.DirMode()); err != nil && !vfs.IsNotEmpty(err) {
		return nil, err
	}
	d, err = r.Retired()
	if err == nil && d == nil {
		// It says nothing about who holds the lock.
		err = &fs.PathError{Op: "open", Path: r.Path + "/" + protocol.RetiredName, Err: fs.ErrNotExist}
	}
	return d, err
}
