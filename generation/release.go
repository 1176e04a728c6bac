package generation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
)

// ReleaseBudget is how long Release tries to retire the generation before it
// takes the fallback.
const ReleaseBudget = 15 * time.Second

// Release ends the tenure (rule 7). It may block up to ReleaseBudget and needs no
// disk space. It is idempotent: later calls return what the first one did.
//
// ErrLost when somebody else retired the generation meanwhile; nothing of the
// successor was touched. Any other error means that current could not be
// renamed: then the generation was marked as finished instead, if even that was
// possible, and this process never retires it again.
func (t *Tenure) Release() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.released {
		return t.err
	}
	t.released = true
	token := seal.Open(t)
	if mutant.On(mutant.UnlinkFlocked) {
		token.Generation.Dir.Remove(token.Generation.Witness.Name())
	}
	if mutant.On(mutant.WitnessFirst) {
		t.spend(token)
	}
	t.early = mutant.On(mutant.ClaimsBeforeRetirement) && tomb.Unclaimed(token.Generation.Dir)
	// From here on nobody else issues a rename for this lease: the lock is
	// ours, and released is set. Only then may the witness go.
	switch retired, err := retireOwn(token); {
	case err == nil:
		t.settle(token, retired)
	case errors.Is(err, ErrLost):
		t.err = fmt.Errorf("lock %s: generation %s: %w", token.Root.Lock, token.Generation.ID, lost(token.Root))
		tomb.Complete(token.Generation.Dir, token.Generation.Witness.Name())
		t.spend(token)
		tomb.Bury(token.Root, token.Generation.ID)
	case tomb.Unclear(token.Root, err):
		// The rename may still arrive. Until this process ends the generation
		// has to be believed held, so its witness stays as it is.
		t.err = fmt.Errorf("lock %s: cannot tell whether generation %s was retired (it stays until this process ends): %w",
			token.Root.Lock, token.Generation.ID, err)
		return t.err
	default:
		t.err = t.fallBack(token, err)
		t.spend(token)
		if mutant.On(mutant.RetryAfterFallback) {
			tomb.Move(token.Root, token.Generation.ID, token.Generation.Info.ID())
		}
	}
	t.close()
	return t.err
}

// settle decides what becomes of the tombstone, which only now can be asked for
// claims: without any it goes at once, otherwise it says that we are done.
func (t *Tenure) settle(token *tree.Fenced, retired vfs.Dir) {
	g := token.Generation
	if retired != nil {
		defer retired.Close()
	}
	if mutant.On(mutant.RecycledClaimed) && t.recycle(token, retired) {
		return
	}
	if t.early || tomb.Removable(token.Root, g.Dir) {
		if t.recycle(token, retired) {
			return
		}
		if err := tomb.Remove(token, retired, func() { t.spend(token) }); err == nil {
			return
		}
	}
	tomb.Complete(g.Dir, g.Witness.Name())
	t.spend(token)
}

// spend ends what testifies for the lease: no thread can rename for it any more.
// The witness is closed and never unlocked, which would take it from children.
func (t *Tenure) spend(token *tree.Fenced) {
	if w := t.party.Witness; w != nil && t.users == 0 {
		t.party.Witness = nil
		w.Close()
	}
	token.Root.Env.Leases.Remove(token.Generation.ID)
}

// retireOwn renames current onto our tombstone, again and again within the budget
// unless a probe tells that trying is in vain. After a try of which the outcome could
// not be seen, our directory at our tombstone is our own doing (rule 10). retired is
// where the tombstone lies, if that is known.
func retireOwn(token *tree.Fenced) (retired vfs.Dir, err error) {
	r, g := token.Root, token.Generation
	deadline := r.Env.Clock.Now().Add(ReleaseBudget)
	unclear := false
	for delay := time.Millisecond; ; delay = min(2*delay, 250*time.Millisecond) {
		retired, err = tomb.MoveTo(r, g.ID, g.Info.ID())
		if unclear && errors.Is(err, tomb.ErrNotCurrent) {
			buried, lerr := tomb.Buried(r, g.ID, g.Info.ID())
			if buried {
				return nil, nil
			}
			if lerr != nil {
				err = lerr
			}
		}
		unclear = unclear || tomb.Unseen(err)
		switch {
		case err == nil:
			return retired, nil
		case errors.Is(err, tomb.ErrNotCurrent), errors.Is(err, tomb.ErrFenced):
			return nil, ErrLost
		case vfs.IsReadOnly(err), vfs.IsCrossDevice(err), r.Env.Clock.Now().After(deadline), tomb.InVain(r, err):
			return nil, err
		}
		r.Env.Clock.Sleep(context.Background(), delay)
	}
}

// fallBack marks the generation as finished where it lies, by the one rename that
// may still be possible, so that anybody may reclaim it.
func (t *Tenure) fallBack(token *tree.Fenced, cause error) error {
	g := token.Generation
	lock := token.Root.Lock
	err := tomb.Complete(g.Dir, g.Witness.Name())
	switch {
	case err != nil:
		return fmt.Errorf("lock %s: cannot release generation %s (it stays until this process ends): %w", lock, g.ID, cause)
	case token.Root.Format.Foreign():
		return fmt.Errorf("lock %s: cannot retire generation %s; it is marked as finished, "+
			"which genlock sees and other programs do not until this process ends: %w", lock, g.ID, cause)
	}
	return fmt.Errorf("lock %s: cannot retire generation %s; it is marked as finished, so the next one may take the lock: %w",
		lock, g.ID, cause)
}
