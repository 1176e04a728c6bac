package tomb

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/discard"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// stood tells whether the generation of id has a tombstone. A claimant asks after
// its claim has landed: without one, whoever makes it later finds the claim (see
// keepLateClaims); with one, nothing but the emptying is left to do.
func stood(r *tree.Root, id protocol.ID) (bool, error) {
	retired, err := r.Retired()
	if err != nil || retired == nil {
		return false, err
	}
	defer retired.Close()
	_, err = lookFor(retired, id)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// keepLateClaims copies the claims that landed after those of the tombstone were
// copied and before it was published. Their owners found no tombstone, so that
// they may still rename by path: the tombstone has to outlive them. It stays as long
// as current is what it stands in for, which is to be emptied after this.
//
// Only "not there" says that there is nothing to keep: of one claim, and never of the
// others. "Look again" is an error if it lasts, and then nothing is emptied.
func keepLateClaims(token *tree.Fenced) error {
	r, g := token.Root, token.Generation
	observers, err := g.Dir.OpenDir(protocol.ObserversName)
	if err != nil {
		return absentIsFine(err)
	}
	defer observers.Close()
	names, err := observers.Names(0)
	if err != nil {
		return absentIsFine(err)
	}
	var copies vfs.Dir
	for _, name := range names {
		if name == string(token.Claim) {
			continue
		}
		if copies == nil {
			if copies, err = openCopies(r, g.ID); err != nil {
				return err
			}
			defer copies.Close()
		}
		if _, err := copies.Lstat(name); err == nil {
			continue
		}
		if err := keepClaim(r, observers, copies, name); err != nil {
			return err
		}
	}
	return nil
}

// openCopies opens, or makes, the place for claims in the tombstone of id.
func openCopies(r *tree.Root, id protocol.ID) (vfs.Dir, error) {
	retired, err := r.Retired()
	if err != nil || retired == nil {
		return nil, errors.Join(err, fs.ErrNotExist)
	}
	defer retired.Close()
	stone, err := retired.OpenDir(string(id))
	if err != nil {
		return nil, err
	}
	defer stone.Close()
	if err := stone.Mkdir(protocol.ObserversName, r.DirMode()); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return stone.OpenDir(protocol.ObserversName)
}

// keepClaim copies one claim. What vanished may be the claim, or the copy that was in
// the making.
func keepClaim(r *tree.Root, from, to vfs.Dir, name string) (err error) {
	const tries = 3
	for range tries {
		if err = copyWhole(r, from, to, name); !vfs.IsVanished(err) {
			return err
		}
		if _, lerr := from.Lstat(name); errors.Is(lerr, fs.ErrNotExist) {
			return nil
		}
	}
	return err
}

// copyWhole publishes one copy whole. A claim whose record is gone is being emptied,
// by somebody who has kept it.
func copyWhole(r *tree.Root, from, to vfs.Dir, name string) error {
	id, err := r.Env.NewID()
	if err != nil {
		return err
	}
	candidate := protocol.CandidateName(id)
	whole, err := copyClaimAs(r, from, name, r.Dir, candidate)
	if err == nil && whole {
		if err = r.Dir.Rename(candidate, to, name, vfs.Plain); err == nil {
			return nil
		}
	}
	discard.Away(r, r.Dir, candidate, nil)
	if vfs.IsNotEmpty(err) {
		return nil // somebody else has kept it
	}
	return err
}

func copyClaimAs(r *tree.Root, from vfs.Dir, name string, to vfs.Dir, as string) (whole bool, err error) {
	claim, err := from.OpenDir(name)
	if err != nil {
		return false, err
	}
	defer claim.Close()
	if err := to.Mkdir(as, r.DirMode()); err != nil {
		return false, err
	}
	copied, err := to.OpenDir(as)
	if err != nil {
		return false, err
	}
	defer copied.Close()
	if err := copyFile(r, claim, copied, protocol.RecordName); err != nil {
		return false, err
	}
	_, err = copied.Lstat(protocol.RecordName)
	return err == nil, absentIsFine(err)
}

func absentIsFine(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
