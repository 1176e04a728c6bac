package genlock

import (
	"context"
	"errors"

	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/observer"
)

// oldFirst is the mistake of that name: the old lock is cleared and taken before we
// hold v3.
func (a *attempt) oldFirst(ctx context.Context) (*Lease, *observer.Observation, error) {
	id, err := a.env.NewID()
	if err != nil {
		return nil, nil, err
	}
	set, at := a.lock.dialects, a.place(id)
	if _, sight, err := set.Clear(ctx, at); sight != nil || err != nil {
		return nil, nil, err
	}
	holding, _, err := set.Hold(ctx, at)
	if holding == nil || err != nil {
		return nil, nil, err
	}
	t, err := generation.Publish(ctx, a.root, generation.Intent{Hold: set.Names()})
	if err != nil {
		err = errors.Join(err, holding.Release())
		if errors.Is(err, generation.ErrHeld) {
			err = nil
		}
		return nil, nil, err
	}
	return newLease(a, t, holding), nil, nil
}
