package genlock

import (
	"context"
	"errors"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/retire"
)

// reclaim claims, and only then lets the holder be judged for good (rule 3).
func (a *attempt) reclaim(ctx context.Context, seen *observer.Observation) (*Lease, *observer.Observation, error) {
	f, err := fence.Claim(ctx, a.root, seen.Generation)
	if errors.Is(err, fence.ErrMoved) {
		if err != fence.ErrMoved {
			a.why = err
		}
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	intent := intentOf(f)
	evidence, err := retire.Reclaim(ctx, f)
	werr := f.Withdraw()
	var alive *retire.AliveError
	switch {
	case errors.Is(err, fence.ErrMoved):
		evidence, err = "", nil // somebody else was faster
	case errors.As(err, &alive):
		return nil, doubted(seen, alive), werr
	}
	if err == nil && evidence != "" {
		a.reclaimed = true
		a.oldIntents = append(a.oldIntents, intent)
		a.lock.emit(Event{Kind: EventReclaimed, Generation: seen.Generation, Seen: seen,
			Evidence: evidence, Waited: a.waiter.waited()}, a.env.Clock.Now())
	}
	if err == nil {
		// What cannot be buried now is left to the collector.
		retire.Bury(ctx, a.root, seen.Generation)
	}
	return nil, nil, errors.Join(err, werr)
}

// doubted is seen after what looked gone without a claim proved not to be.
func doubted(seen *observer.Observation, alive *retire.AliveError) *observer.Observation {
	now := *seen
	now.State, now.Evidence, now.Verdict = observer.Undecidable, alive.Why, &alive.Verdict
	if alive.Verdict == "alive" {
		now.State = observer.Held
	}
	return &now
}
