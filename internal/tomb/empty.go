package tomb

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Retire is Move for somebody else's generation g under a confirmed claim. Where g
// cannot be renamed at all (it lies in an overlay's lower layer, baked into an
// image), it is emptied in place instead, behind a tombstone (rule 10).
func Retire(token *tree.Fenced) error {
	r, g := token.Root, token.Generation
	late, err := stood(r, g.ID)
	if err != nil {
		return err
	}
	if late {
		// The tombstone is there while current is still this directory:
		// somebody is emptying it, or died doing so.
		return finish(token, ErrFenced)
	}
	if g.Emptied {
		return ErrNotCurrent // somebody has come to the end of it meanwhile
	}
	err = Move(r, g.ID, g.Info.ID())
	switch {
	case vfs.IsCrossDevice(err):
		err = standIn(token)
		if errors.Is(err, fs.ErrNotExist) && overtaken(r, g) {
			return ErrNotCurrent // what we were copying is being emptied
		}
		if err != nil && !errors.Is(err, ErrFenced) {
			return err
		}
		return finish(token, err)
	case errors.Is(err, ErrFenced):
		return finish(token, err)
	}
	return err
}

// overtaken tells whether somebody else retired g, or stands in for it.
func overtaken(r *tree.Root, g *tree.Generation) bool {
	if same, err := r.IsCurrent(g.Info.ID()); err != nil || !same {
		return err == nil
	}
	tombstone, err := r.Tombstone(g.ID)
	if err != nil || tombstone == nil {
		return false
	}
	tombstone.Close()
	return true
}

// finish empties the directory of g through its handle, in an order in which at every
// moment it is either still recognised as g, whose tombstone exists, or holds
// nothing. cause is ErrFenced if the tombstone is another's.
func finish(token *tree.Fenced, cause error) error {
	r, g := token.Root, token.Generation
	same, err := r.IsCurrent(g.Info.ID())
	if err != nil {
		return err
	}
	if !same {
		return ErrNotCurrent
	}
	if err := vfs.Again(func() error { return keepLateClaims(token) }); err != nil {
		if same, serr := r.IsCurrent(g.Info.ID()); serr == nil && !same {
			return ErrNotCurrent // somebody else has finished it (rule 9)
		}
		return err
	}
	if err := Clear(r, g); err != nil {
		return err
	}
	return cause
}

// Clear empties current, which is the directory of g, through g's handle, and
// removes it. It is for debris, which holds nothing (rule 10), and for what a
// tombstone stands in for. Nothing is ever renamed or found by path.
func Clear(r *tree.Root, g *tree.Generation) error {
	if mutant.On(mutant.EmptiedByPath) {
		return vfs.RemoveAll(r.Dir, protocol.CurrentName, nil)
	}
	const tries = 3 // a late claim may land between two steps
	var err error
	for range tries {
		if err = empty(g.Dir); err != nil {
			return err
		}
		// It cannot remove a generation: that is never empty.
		err = r.Dir.Rmdir(protocol.CurrentName)
		if !vfs.IsNotEmpty(err) {
			break
		}
		if same, serr := r.IsCurrent(g.Info.ID()); serr == nil && !same {
			return nil // somebody was faster, and somebody else holds already
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// empty deletes what is in dir. The record goes first: what it says cannot be believed
// any more once the witness or the completion is gone, and without it the tombstone
// decides. What tells the id goes last, the witness after the generation file,
// because it is believed against that.
func empty(dir vfs.Dir) error {
	names, err := dir.Names(0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, turn := range []int{first, between, last, veryLast} {
		for _, name := range names {
			if turnOf(name) != turn {
				continue
			}
			if err := vfs.RemoveAll(dir, name, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// The turns in which empty deletes.
const (
	first = iota
	between
	last
	veryLast
)

func turnOf(name string) int {
	_, witness := protocol.ParseWitness(name)
	switch {
	case name == protocol.RecordName:
		return first
	case name == protocol.GenerationName:
		return last
	case witness:
		return veryLast
	}
	return between
}
