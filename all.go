package genlock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"genlock.dev/genlock/protocol"
)

// AcquireAll takes several locks, all or none, in one fixed order, so that two
// callers that want the same locks cannot wait for each other. The order is the
// same in every process of a machine however the paths are spelled. Leases
// come in the order of the arguments. The same lock twice is an error.
func AcquireAll(ctx context.Context, locks ...*Lock) (_ []*Lease, err error) {
	order, err := inOrder(ctx, locks)
	if err != nil {
		return nil, err
	}
	leases := make([]*Lease, len(locks))
	defer func() {
		if err != nil {
			err = errors.Join(err, releaseAll(leases))
		}
	}()
	for _, o := range order {
		if leases[o.index], err = o.lock.Acquire(ctx); err != nil {
			return nil, err
		}
	}
	return leases, nil
}

// releaseAll releases what was taken of leases.
func releaseAll(leases []*Lease) error {
	var errs []error
	for _, l := range leases {
		if l != nil {
			errs = append(errs, l.Release())
		}
	}
	return errors.Join(errs...)
}

type ordered struct {
	lock  *Lock
	at    place
	index int
}

func inOrder(ctx context.Context, locks []*Lock) ([]ordered, error) {
	order := make([]ordered, len(locks))
	for i, l := range locks {
		if l.err != nil {
			return nil, l.err
		}
		at, err := placeOf(ctx, l)
		if err != nil {
			return nil, err
		}
		order[i] = ordered{l, at, i}
	}
	slices.SortFunc(order, func(a, b ordered) int {
		return cmp.Or(cmp.Compare(a.at.parent.Dev, b.at.parent.Dev),
			cmp.Compare(a.at.parent.Ino, b.at.parent.Ino), cmp.Compare(a.at.base, b.at.base))
	})
	for i := 1; i < len(order); i++ {
		if order[i].at == order[i-1].at {
			return nil, &protocol.UsageError{What: "locks",
				Why: fmt.Sprintf("%s and %s are the same lock", order[i-1].lock.given, order[i].lock.given)}
		}
	}
	return order, nil
}
