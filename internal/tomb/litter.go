package tomb

import (
	"errors"
	"io/fs"
	"time"

	"genlock.dev/genlock/internal/discard"
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// LitterAge is how old litter must be when nothing but its age speaks. It is a
// bound of disk use, not a verdict: nothing unpublished is ever held.
const LitterAge = time.Hour

// Litter removes the directory name of the root if it is the rest of a crashed
// attempt: an acquisition, a claim, or something that was on its way out. It is
// renamed aside before it is deleted, so that a maker who lives after all finds
// its name gone, and starts again. It reports whether name is gone.
//
// A directory without a witness, even an empty one, goes by age alone: other
// programs make such directories, and take one that vanishes for an error.
func Litter(r *tree.Root, name string) (bool, error) {
	_, candidate := protocol.ParseCandidateName(name)
	_, _, claim := protocol.ParseClaimCandidateName(name)
	if !candidate && !claim {
		return false, nil
	}
	dir, err := r.Dir.OpenDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer dir.Close()
	litter, err := isLitter(r, dir)
	if err != nil || !litter {
		return false, err
	}
	if mutant.On(mutant.LitterInPlace) {
		return true, vfs.RemoveAll(r.Dir, name, nil)
	}
	err = discard.Whole(r, r.Dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err == nil, err
}

func isLitter(r *tree.Root, dir vfs.Dir) (bool, error) {
	names, err := dir.Names(0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	said := evidence.Unsaid
	for _, name := range names {
		if w, ok := protocol.ParseWitness(name); ok {
			said = evidence.Unpublished(r.Env.Machine,
				evidence.Party{ID: w.Of, Dir: dir, Witness: &w, Kind: r.Kind})
		}
	}
	if said != evidence.Unsaid {
		return said == evidence.Unattended, nil
	}
	info, err := dir.Stat()
	if err != nil {
		return false, err
	}
	age := r.Env.Clock.Now().Sub(info.ModTime)
	return age > LitterAge, nil
}
