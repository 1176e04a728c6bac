package tomb

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/discard"
	"genlock.dev/genlock/internal/guard"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Unclaimed is the atomic test whether anybody has a claim in the retired
// generation dir: it removes the empty directory of the claims. Only after the
// retirement does the answer mean anything, because claims that land later are
// never confirmed (rule 3).
//
// Only success and ENOENT say so: ESTALE is no answer (rule 9).
func Unclaimed(dir vfs.Dir) bool {
	err := dir.Rmdir(protocol.ObserversName)
	return err == nil || errors.Is(err, fs.ErrNotExist)
}

// Remove renames the holder's own tombstone g away, calls then whatever came of
// that, and deletes it. retired is what MoveTo returned. What cannot be deleted is
// litter, which the collector finds.
func Remove(token *tree.Fenced, retired vfs.Dir, then func()) error {
	r, g := token.Root, token.Generation
	if retired == nil {
		var err error
		if retired, err = r.Retired(); err != nil || retired == nil {
			then()
			return err
		}
		defer retired.Close()
	}
	fresh, err := discard.Aside(r, retired, string(g.ID))
	then()
	if err != nil {
		return err
	}
	if token.Touched.Load() {
		// The witness must not go before what may be left of the staging.
		discard.Delete(r, fresh)
		return nil
	}
	discard.DeleteOwn(r, fresh, g.Dir, protocol.GenerationName, protocol.RecordName, g.Witness.Name())
	return nil
}

// Complete records in the holder's own directory that the work of exactly this
// generation has ended. The witness already holds the nonce, so that this is
// one rename that needs no space and works through the handle, wherever the
// directory lies now.
func Complete(dir vfs.Dir, witness string) error {
	return dir.Rename(witness, dir, protocol.CompletionName, vfs.Plain)
}

// Bury deletes the tombstone of id if nobody can still act on it: its holder is
// spent, no guard binds it, and every claim is withdrawn or its process gone.
// It reports whether the tombstone is gone.
func Bury(r *tree.Root, id protocol.ID) (bool, error) {
	gone, err := bury(r, id)
	if errors.Is(err, fs.ErrNotExist) {
		// Somebody else buries it, or withdraws, while we look.
		return isBuried(r, id)
	}
	return gone, err
}

func isBuried(r *tree.Root, id protocol.ID) (bool, error) {
	retired, err := r.Retired()
	if err != nil || retired == nil {
		return err == nil, err
	}
	defer retired.Close()
	_, err = lookFor(retired, id)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}

func bury(r *tree.Root, id protocol.ID) (bool, error) {
	g, v, err := judge.Settle(r, func() (*tree.Generation, error) { return r.Tombstone(id) })
	if err != nil || g == nil {
		return err == nil, err
	}
	defer g.Close()
	if !v.Reclaimable() || tooYoung(r, g) {
		return false, nil
	}
	if needed, err := standsIn(r, g); needed || err != nil {
		return false, err
	}
	if mutant.On(mutant.TombstoneAtReclaim) {
		return true, removeWhole(r, id)
	}
	if err := dropDeadClaims(r, g); err != nil {
		return false, err
	}
	if !Unclaimed(g.Dir) {
		return false, nil
	}
	// The verdict proves the commands behind our own guards gone, and nobody would
	// find them once the tombstone is gone.
	if err := guard.Remove(r, v.Guards.Ours...); err != nil {
		return false, err
	}
	err = removeWhole(r, id)
	if vfs.IsVanished(err) {
		err = nil // somebody else buried it
	}
	return err == nil, err
}

// standsIn tells whether tombstone g is the only sign that what lies in current,
// half emptied, is retired. Such a tombstone has no witness of its own.
func standsIn(r *tree.Root, g *tree.Generation) (bool, error) {
	if g.Witness != nil {
		if _, err := g.Dir.Lstat(g.Witness.Name()); err == nil {
			return false, nil
		}
	}
	current, err := r.Current()
	if err != nil || current == nil {
		return false, err
	}
	defer current.Close()
	return current.ID == g.ID, nil
}

// removeWhole is Remove for a collector, which tells what it could not delete.
func removeWhole(r *tree.Root, id protocol.ID) error {
	retired, err := r.Retired()
	if err != nil || retired == nil {
		return err
	}
	defer retired.Close()
	return discard.Whole(r, retired, string(id))
}

// dropDeadClaims takes out the claims whose makers are provably gone. A name that
// is no id was not made by this protocol and stays, and so does the tombstone.
func dropDeadClaims(r *tree.Root, g *tree.Generation) error {
	observers, err := g.Dir.OpenDir(protocol.ObserversName)
	if vfs.IsVanished(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer observers.Close()
	names, err := observers.Names(0)
	if err != nil && !vfs.IsVanished(err) {
		return err
	}
	for _, name := range names {
		if err := dropIfDead(r, g, observers, name); err != nil {
			return err
		}
	}
	return nil
}

func dropIfDead(r *tree.Root, g *tree.Generation, observers vfs.Dir, name string) error {
	id, ok := protocol.ParseID(name)
	if !ok {
		return nil
	}
	c, err := tree.OpenClaim(observers, name, id)
	if err != nil || c == nil {
		return err
	}
	defer c.Close()
	if !judge.Claimant(r, c).Spent() {
		return nil
	}
	err = discard.Claim(r, observers, name, g.ID, nil)
	if vfs.IsVanished(err) {
		return nil
	}
	return err
}
