package fence

import (
	"context"
	"errors"
	"fmt"

	"genlock.dev/genlock/internal/discard"
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/prepare"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// ErrMoved: the generation is not held any more, so there is nothing to fence.
// It is no failure: look again.
var ErrMoved = errors.New("the generation is not held any more")

type tokenBox = seal.Box[*tree.Fenced]

// Fence is a confirmed claim. Withdraw it when done; a process that dies instead
// leaves a claim whose free witness frees the tombstone.
type Fence struct {
	tokenBox
	party     *prepare.Party
	observers vfs.Dir
}

// Generation is the only generation that the fence can retire.
func (f *Fence) Generation() protocol.ID { return seal.Open(f).Generation.ID }

// Claim publishes a claim on the held generation id and confirms it. The error
// is ErrMoved when id is not, or no longer, held.
func Claim(ctx context.Context, root *Root, id protocol.ID) (*Fence, error) {
	r := seal.Open(root)
	seen, err := r.Current()
	if err != nil {
		return nil, err
	}
	if seen == nil {
		return nil, ErrMoved
	}
	defer seen.Close()
	if (seen.ID != id || id == "") && !mutant.On(mutant.VerdictBeforeClaim) && !mutant.On(mutant.ReleasedIsAbandoned) {
		return nil, ErrMoved
	}
	f, err := publish(r, seen)
	if err != nil {
		return nil, err
	}
	return f.confirm(r, seen)
}

// publish lands the claim in the directory that was seen, through its handle: a
// path could lead into a successor.
func publish(r *tree.Root, seen *tree.Generation) (*Fence, error) {
	claim, err := r.Env.NewID()
	if err != nil {
		return nil, err
	}
	party, err := prepare.Make(r, prepare.Spec{
		Name: protocol.ClaimCandidateName(claim, seen.ID), ID: claim, Generation: seen.ID})
	if vfs.IsVanished(err) || vfs.IsBusy(err) {
		// Taken for litter while it was made: look again.
		return nil, fmt.Errorf("%w: %w", ErrMoved, err)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: cannot claim generation %s: %w", r.Lock, seen.ID, err)
	}
	observers, err := openObservers(r, seen.Dir)
	if err == nil {
		err = r.Dir.Rename(party.Name, observers, string(claim), vfs.Plain)
		if err != nil && landed(observers, claim, party) {
			err = nil
		}
		if err != nil {
			observers.Close()
		}
	}
	if err != nil {
		party.Abandon(r)
		return nil, moved(r, seen, err)
	}
	party.Name = string(claim)
	return &Fence{party: party, observers: observers}, nil
}

// landed tells whether a claim whose rename reported failure lies in its place all
// the same (rule 10).
func landed(observers vfs.Dir, claim protocol.ID, p *prepare.Party) bool {
	info, err := observers.Lstat(string(claim))
	return err == nil && info.ID() == p.Info.ID()
}

// openObservers makes the directory of the claims on demand.
func openObservers(r *tree.Root, dir vfs.Dir) (vfs.Dir, error) {
	const tries = 16 // its rmdir by a releaser may come between, each time
	var err error
	for range tries {
		var d vfs.Dir
		if d, err = dir.OpenDir(protocol.ObserversName); err == nil {
			return d, nil
		}
		if !vfs.IsVanished(err) {
			return nil, tree.UnsafeDir(dir, protocol.ObserversName, err)
		}
		err = dir.Mkdir(protocol.ObserversName, r.DirMode())
		if err != nil && !vfs.IsNotEmpty(err) {
			return nil, err
		}
	}
	return nil, err
}

// moved tells a lost race from a lasting failure: whatever went wrong, it was a
// race if the generation is not current any more (rule 9).
func moved(r *tree.Root, seen *tree.Generation, err error) error {
	if same, lerr := r.IsCurrent(seen.Info.ID()); lerr == nil && !same {
		return ErrMoved
	}
	if vfs.IsVanished(err) {
		// The claim was collected, or observers removed: look again.
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return fmt.Errorf("lock %s: cannot claim generation %s: %w", r.Lock, seen.ID, err)
}

// confirm looks current up anew from the root. Only the same directory with the
// same generation confirms; a claim that landed in a tombstone authorises
// nothing and is taken back.
func (f *Fence) confirm(r *tree.Root, seen *tree.Generation) (*Fence, error) {
	if f.misled(r, seen) {
		return f, nil
	}
	now, err := r.Current()
	if err != nil {
		f.takeBack(r, seen.ID)
		return nil, err
	}
	if now == nil {
		f.takeBack(r, seen.ID)
		return nil, ErrMoved
	}
	if now.Info.ID() != seen.Info.ID() || now.ID != seen.ID {
		now.Close()
		f.takeBack(r, seen.ID)
		return nil, ErrMoved
	}
	f.tokenBox = seal.Wrap(&tree.Fenced{Root: r, Generation: now, Claim: protocol.ID(f.party.Name)})
	if mutant.On(mutant.BreakWithoutClaim) {
		discard.Claim(r, f.observers, f.party.Name, seen.ID, nil)
	}
	return f, nil
}

// Withdraw takes the claim back, by renaming it out and then deleting it. After
// it the fence can retire nothing. A claim that cannot be renamed out stays,
// with its witness free, and keeps the tombstone until it is collected.
func (f *Fence) Withdraw() error {
	token := seal.Open(f)
	if token.Spent {
		return nil
	}
	token.Spent = true
	if token.Unclear {
		// Our rename may still arrive: the claim stays open, witness and all,
		// until this process ends.
		return nil
	}
	err := f.takeBack(token.Root, token.Generation.ID)
	token.Generation.Close()
	return err
}

func (f *Fence) takeBack(r *tree.Root, generation protocol.ID) error {
	defer f.observers.Close()
	err := discard.Claim(r, f.observers, f.party.Name, generation, f.party.Close)
	if vfs.IsVanished(err) {
		return nil
	}
	return err
}
