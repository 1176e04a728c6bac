package genlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/retire"
)

// Acquire waits until it holds the lock. It returns early, with *HeldError, when
// ctx ends or a bound of the options is reached, and at once when waiting
// cannot help. Waiting writes nothing.
func (l *Lock) Acquire(ctx context.Context) (*Lease, error) {
	return l.acquire(ctx, !l.options.NoWait, nil)
}

// TryAcquire takes the lock if nobody holds it, or if its holder is provably gone
// or finished. Otherwise it fails at once with *HeldError.
func (l *Lock) TryAcquire(ctx context.Context) (*Lease, error) {
	return l.acquire(ctx, false, nil)
}

// errEnough ends an acquisition because the lock is not wanted any more.
var errEnough = errors.New("the lock is not wanted any more")

// attempt is one acquisition: the only loop of publish, look, claim, retire and
// wait.
type attempt struct {
	lock  *Lock
	env   *env.Env
	chain []link
	wait  bool
	// enough, if not nil, is asked after every wait whether the lock is still
	// wanted.
	enough func(*waiter) (bool, error)
	at     place
	root   *fence.Root
	waiter waiter
	// reclaimed: a generation of somebody else was retired.
	reclaimed bool
	// oldIntents are the generations that this acquisition retired, with the
	// old locks that they had announced.
	oldIntents []legacy.Intent
	// why is what the system said when a round came to nothing; nil when
	// somebody else was merely faster.
	why error
}

func (l *Lock) acquire(ctx context.Context, wait bool, enough func(*waiter) (bool, error)) (*Lease, error) {
	if l.err != nil {
		return nil, l.err
	}
	a := &attempt{lock: l, env: env.From(ctx), chain: chainOf(ctx), wait: wait, enough: enough}
	a.waiter.begin(l, a.env)
	defer a.shelve() // unless the lease has it
	if err := a.locate(ctx); err != nil {
		return nil, err
	}
	if err := a.heldByChain(ctx); err != nil {
		return nil, err
	}
	leave, err := a.lineUp(ctx)
	if err != nil {
		a.gaveUp(err)
		return nil, err
	}
	lease, err := a.loop(ctx)
	a.waiter.line.Leave()
	if err != nil {
		a.gaveUp(err)
		leave()
		return nil, err
	}
	a.root = nil
	lease.leave = leave
	return lease, nil
}

// loop runs until the lock is taken or cannot be. Each round without a wait means
// that somebody made progress; so many in a row are a reason to wait as well. If
// the system gave a reason each time, it was no race that was lost (rule 9).
func (a *attempt) loop(ctx context.Context) (*Lease, error) {
	const patience, hopeless = 20, 100
	for round, stuck := 0, 0; ; round++ {
		a.why = nil
		lease, seen, err := a.once(ctx)
		if lease != nil || err != nil {
			return lease, err
		}
		if stuck++; seen != nil || a.why == nil {
			stuck = 0
		}
		if stuck > hopeless || stuck > patience && !a.wait {
			return nil, fmt.Errorf("lock %s: %w", a.lock.given, a.why)
		}
		if seen == nil && round < patience && ctx.Err() == nil {
			continue
		}
		round = 0
		if seen == nil {
			seen = &observer.Observation{Lock: a.lock.path, State: observer.Free}
		}
		if err := a.pause(ctx, seen); err != nil {
			return nil, err
		}
	}
}

// once looks and acts once. A non-nil observation is a reason to wait; nothing
// at all means to look again.
func (a *attempt) once(ctx context.Context) (*Lease, *observer.Observation, error) {
	old, err := a.old(ctx)
	if a.waiter.followOld(old, false); old != nil || err != nil {
		return nil, old, err
	}
	if err := a.open(ctx); err != nil {
		return nil, nil, err
	}
	if a.waiter.waiting {
		a.waiter.line.Glance()
	}
	seen, err := observer.At(ctx, a.root)
	if err != nil {
		return nil, nil, a.reopen(fmt.Errorf("lock %s: %w", a.lock.given, err))
	}
	if changed := a.waiter.saw(a.root, seen); changed && a.enough != nil {
		if done, err := a.enough(&a.waiter); done || err != nil {
			if err == nil {
				err = errEnough
			}
			return nil, nil, err
		}
	}
	switch seen.State {
	case observer.Free:
		if mutant.On(mutant.ReleasedIsAbandoned) && a.waiter.before != "" {
			return a.reclaim(ctx, &observer.Observation{Generation: a.waiter.before})
		}
		if !a.waiter.line.Turn() {
			return nil, seen, nil // others were here before us
		}
		return a.publish(ctx)
	case observer.Abandoned:
		return a.reclaim(ctx, seen)
	case observer.Quarantined:
		return nil, nil, &retire.QuarantinedError{Generation: seen.Generation, Why: seen.Evidence}
	}
	return nil, seen, nested(a.chain, a.lock.given, seen.Generation)
}

// publish takes a free lock. The decisive look for an old lock comes after
// publishing: what came before us is visible then.
func (a *attempt) publish(ctx context.Context) (*Lease, *observer.Observation, error) {
	l := a.lock
	about := l.options.About
	hold := l.options.Hold
	if mutant.On(mutant.OldFirst) && hold {
		return a.oldFirst(ctx)
	}
	intent := generation.Intent{About: &about}
	if hold {
		intent.Hold = l.dialects.Names()
	}
	t, err := generation.Publish(ctx, a.root, intent)
	switch {
	case errors.Is(err, generation.ErrHeld):
		if err != generation.ErrHeld {
			a.why = err // more than a lost race, if it persists
		}
		return nil, nil, nil
	case errors.Is(err, generation.ErrRootMoved):
		return nil, nil, a.reopen(err)
	case err != nil:
		return nil, nil, err
	}
	holding, old, err := a.settleOld(ctx, t)
	a.waiter.followOld(old, true)
	if err != nil || old != nil || hold && holding == nil {
		return nil, old, errors.Join(err, giveBack(t))
	}
	a.waiter.took(a.root)
	if a.waiter.waiting {
		a.waiter.note(a.root)
	}
	lease := newLease(a, t, holding)
	l.emit(Event{Kind: EventAcquired, Generation: t.Generation(), Waited: a.waiter.waited()}, a.env.Clock.Now())
	return lease, nil, nil
}

// giveBack releases what nobody has got a lease for: an operator who broke it meanwhile
// took nothing from anybody.
func giveBack(t *generation.Tenure) error {
	if err := t.Release(); !errors.Is(err, ErrLost) {
		return err
	}
	return nil
}

// pause waits until looking again may help, or says why waiting ends.
func (a *attempt) pause(ctx context.Context, seen *observer.Observation) error {
	if !a.wait && a.why != nil && seen.Old != nil {
		return fmt.Errorf("lock %s: old lock: %w", a.lock.given, a.why)
	}
	if !a.wait {
		return a.waiter.held(seen, nil)
	}
	if a.lock.options.FailUndecidable && seen.State != observer.Held && seen.State != observer.Free {
		return a.waiter.held(seen, nil)
	}
	return a.waiter.sleep(ctx, seen, a.rest())
}

// restsAfter is how long a wait lasts before what a turn left to be recycled is given
// up: whoever waits for long has nothing on the disk.
const restsAfter = 500 * time.Millisecond

// rest gives that up when it is time, and tells whether it was not yet.
func (a *attempt) rest() (notYet bool) {
	if a.root == nil {
		return false
	}
	r := seal.Open(a.root)
	if a.waiter.waited() >= restsAfter {
		r.DropSpare()
	}
	return r.Spare != nil
}
