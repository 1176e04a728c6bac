// Package generation publishes a complete generation and keeps its tenure: check
// that it is still held, and release it exactly.
package generation

import (
	"context"
	"errors"
	"fmt"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/discard"
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/prepare"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

var (
	// ErrHeld: somebody else holds the lock. Losing the race is no failure.
	ErrHeld = errors.New("the lock is held")
	// ErrRootMoved: the path does not lead to the root that was opened any
	// more, so nothing is held. Open it again and start anew. With ErrLost it
	// says that nobody retired the generation: its root is gone.
	ErrRootMoved = errors.New("the lock's directory was moved or deleted")
	// ErrLost: the generation was retired by somebody else, or deleted.
	ErrLost = errors.New("the lock was lost")

	errVanished = errors.New("the candidate vanished")
)

// Intent says what the record tells others about the holder.
type Intent struct {
	About *protocol.About
	Hold  []string
}

// Publish prepares a complete generation and renames it to current (rule 1). It
// does not wait: ErrHeld when another generation is current.
func Publish(ctx context.Context, root *fence.Root, in Intent) (*Tenure, error) {
	r := seal.Open(root)
	const tries = 5 // a candidate that vanished was taken for litter: start again
	var why error
	for range tries {
		t, err := attempt(ctx, r, in)
		if !errors.Is(err, errVanished) {
			return t, err
		}
		why = err
		if intact, err := r.Intact(); err != nil || !intact {
			return nil, errors.Join(err, ErrRootMoved)
		}
	}
	return nil, fmt.Errorf("lock %s: cannot publish: %w", r.Lock, why)
}

func attempt(ctx context.Context, r *tree.Root, in Intent) (*Tenure, error) {
	id, err := r.Env.NewID()
	if err != nil {
		return nil, err
	}
	// Known to this process before it is known to anybody: a record with our
	// own instance that no lease names counts as finished.
	r.Env.Leases.Add(id)
	party, err := candidate(r, prepare.Spec{ID: id, Generation: id, Line: true, About: in.About, Hold: in.Hold})
	if err == nil {
		err = commit(r, party)
	}
	if err != nil {
		r.Env.Leases.Remove(id)
		return nil, err
	}
	return begin(r, id, party)
}

// candidate is a complete generation that nobody knows yet, recycled or new.
func candidate(r *tree.Root, spec prepare.Spec) (*prepare.Party, error) {
	if party := prepare.Again(r, spec); party != nil {
		return party, nil
	}
	party, err := makeCandidate(r, spec)
	if vfs.IsVanished(err) || vfs.IsBusy(err) {
		return nil, fmt.Errorf("%w: %w", errVanished, err)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: cannot prepare a generation: %w", r.Lock, err)
	}
	return party, nil
}

// commit is the one rename that publishes.
func commit(r *tree.Root, party *prepare.Party) error {
	how := vfs.Plain
	if mutant.On(mutant.EmptyIsHeld) {
		how = vfs.NoReplace
	}
	if err := r.Dir.Rename(party.Name, r.Dir, protocol.CurrentName, how); err != nil {
		return unpublished(r, party, err)
	}
	return nil
}

func makeCandidate(r *tree.Root, spec prepare.Spec) (*prepare.Party, error) {
	id, err := r.Env.NewID()
	if err != nil {
		return nil, err
	}
	if mutant.On(mutant.SharedCandidate) {
		id = protocol.ID(r.Env.Machine.Self().Boot)
	}
	spec.Name = protocol.CandidateName(id)
	return prepare.Make(r, spec)
}

// unpublished settles a publication that reported failure. It returns nil when
// the rename happened all the same (rule 10); otherwise the candidate is gone
// and can never be published, and the error says why.
func unpublished(r *tree.Root, p *prepare.Party, cause error) error {
	id := p.Info.ID()
	if happened, err := r.IsCurrent(id); err == nil && happened {
		return nil
	}
	err := discard.Away(r, r.Dir, p.Name, nil)
	if err != nil {
		// Neither here nor there: it was collected, or it happened late.
		if happened, lerr := r.IsCurrent(id); lerr == nil && happened {
			return nil
		}
	}
	p.Close()
	return lostOrFailed(r, cause)
}

// lostOrFailed judges by position: as long as something is current, any failure
// to get there is a lost race (rule 9).
func lostOrFailed(r *tree.Root, cause error) error {
	info, err := r.Dir.Lstat(protocol.CurrentName)
	switch {
	case err == nil && !info.IsDir():
		return &protocol.UnsafeError{Path: r.Path + "/" + protocol.CurrentName, Mode: info.Mode, Want: "a directory"}
	case err == nil && cleared(r):
		return errVanished // nothing is in the way any more: start again
	case vfs.IsNotEmpty(cause):
		return ErrHeld
	case err == nil:
		return fmt.Errorf("%w: %w", ErrHeld, cause)
	case vfs.IsVanished(cause):
		return fmt.Errorf("%w: %w", errVanished, cause)
	}
	return fmt.Errorf("lock %s: cannot publish: %w", r.Lock, cause)
}

// cleared removes a current that holds nothing: an empty directory where a rename
// does not replace it, or debris. It reports whether there was one.
func cleared(r *tree.Root) bool {
	if mutant.On(mutant.EmptyIsHeld) {
		return false
	}
	g, err := r.Current()
	if err != nil || g == nil {
		return false
	}
	defer g.Close()
	return (g.Empty || g.Debris) && tomb.Clear(r, g) == nil
}

// begin starts the tenure, provided that the path still leads to the root in
// which we published. If not, nothing is held and the generation goes.
func begin(r *tree.Root, id protocol.ID, p *prepare.Party) (*Tenure, error) {
	t := newTenure(r, id, p)
	intact, err := r.Intact()
	if err == nil && intact {
		return t, nil
	}
	rerr := t.Release()
	if err == nil {
		err = ErrRootMoved
	}
	if errors.Is(rerr, ErrLost) {
		rerr = nil
	}
	return nil, errors.Join(err, rerr)
}
