package genlock

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// parseDialects makes of the options what the loop calls.
func parseDialects(o *Options) (legacy.Set, error) {
	set, err := legacy.Parse(o.Dialects)
	if err != nil || !o.Hold {
		return set, err
	}
	if len(set) == 0 {
		return nil, &protocol.UsageError{What: "hold mode", Why: "no dialect is named that it should hold"}
	}
	return set, set.CheckHold()
}

// place is where the old locks lie, and what this acquisition knows of them. mine is
// our generation, "" while we hold none.
func (a *attempt) place(mine protocol.ID) legacy.Place {
	return legacy.Place{Lock: a.lock.path, Format: a.lock.options.Format, Mine: mine, Reclaimed: a.oldIntents}
}

// old looks for an old lock that blocks us, and writes nothing. That this very
// process holds it is an error at once, since waiting would never end.
func (a *attempt) old(ctx context.Context) (blocking *observer.Observation, err error) {
	var sight *legacy.Sight
	err = vfs.Again(func() (err error) {
		sight, err = a.lock.dialects.Look(ctx, a.place(""))
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock %s: cannot look for old locks: %w", a.lock.given, err)
	case sight == nil:
		return nil, nil
	case sight.Self:
		return nil, &legacy.BlockedError{Sight: sight}
	}
	return a.lock.seeing(sight), nil
}

// settleOld is what a holder of v3 does about old locks: it reclaims what is
// provably spent and, in hold mode, takes them. Without a lease's holding, or
// with a sight or an error, the caller has to let go of v3.
func (a *attempt) settleOld(ctx context.Context, t *generation.Tenure) (*legacy.Holding, *observer.Observation, error) {
	set, at := a.lock.dialects, a.place(t.Generation())
	var done []legacy.Cleared
	var sight *legacy.Sight
	err := vfs.Again(func() error {
		more, s, err := set.Clear(ctx, at)
		done, sight = append(done, more...), s
		if errors.Is(err, legacy.ErrMoved) {
			a.why, err = err, nil // more than a lost race, if it persists
		}
		return err
	})
	for _, c := range done {
		a.lock.emit(Event{Kind: EventReclaimed, Generation: c.Sight.Generation, Seen: a.lock.seeing(c.Sight),
			Evidence: c.Evidence, Waited: a.waiter.waited()}, a.env.Clock.Now())
	}
	var holding *legacy.Holding
	if sight == nil && err == nil && a.lock.options.Hold {
		// Not a second time under the same generation: what was taken in vain has
		// its tombstone, and a generation that was retired must not be held again.
		holding, sight, err = set.Hold(ctx, at)
		if vfs.IsVanished(err) {
			a.why = err // more than a lost race, if it persists
			return nil, nil, nil
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("lock %s: old lock: %w", a.lock.given, err)
	}
	if sight != nil && sight.Self {
		return nil, nil, &legacy.BlockedError{Sight: sight}
	}
	if sight != nil {
		return nil, a.lock.seeing(sight), nil
	}
	return holding, nil, nil
}

// intentOf reads, while the claim is open, which old locks the holder meant to
// take. What it announced goes with its record.
func intentOf(f *fence.Fence) legacy.Intent {
	g := seal.Open(f).Generation
	in := legacy.Intent{Generation: g.ID}
	if g.Record != nil {
		in.Hold = g.Record.Hold
	}
	return in
}

// seeing is a sight in the form that waiting and status know.
func (l *Lock) seeing(s *legacy.Sight) *observer.Observation {
	o := &observer.Observation{Schema: protocol.Schema, Lock: l.path, Format: l.options.Format, State: observer.Free}
	o.SetOld(l.oldLockOf(s))
	return o
}

func (l *Lock) oldLockOf(s *legacy.Sight) *observer.OldLock {
	o := &observer.OldLock{Dialect: s.Dialect, State: string(s.Verdict), Path: s.Path, Why: s.Why,
		PID: s.PID, Hostname: s.Hostname, StartedAt: s.StartedAt, Token: s.Token, Generation: s.Generation, Genlock: s.Process, Strange: s.Strange}
	if !s.Strange && !slices.Contains(l.dialects.Names(), s.Dialect) {
		o.Next = s.Next // how to enable it; what else there is to do, the observation says
	}
	return o
}

// seeOld completes a look by what the dialects see. Of several old locks it tells
// the one that stands in the way.
func (l *Lock) seeOld(ctx context.Context, seen *observer.Observation) error {
	at := legacy.Place{Lock: l.path, Format: l.options.Format}
	var sights []*legacy.Sight
	err := vfs.Again(func() (err error) {
		sights, err = l.dialects.See(ctx, at)
		return err
	})
	if err != nil {
		seen.State, seen.Evidence = observer.Unreadable, err.Error()
		switch {
		case errors.Is(err, protocol.ErrUnsafePath):
			seen.State = observer.Unsafe
		case errors.Is(err, protocol.ErrNotRoot):
			seen.State = observer.Foreign
		}
		return err
	}
	if len(sights) == 0 {
		if seen.Old != nil {
			seen.SetOld(nil)
		}
		return nil
	}
	told := sights[0]
	for _, s := range sights {
		if !s.Spent() {
			told = s
			break
		}
	}
	seen.SetOld(l.oldLockOf(told))
	return nil
}

// oldHolder is who holds an old lock, as far as its record tells.
type oldHolder struct {
	dialect, path, hostname, startedAt, token string
	pid                                       int
	generation                                protocol.ID
}

// followOld starts a new wait for each holder of an old lock; nil is none. That the
// quick look shows none says nothing of one whom only the decisive look has shown: his
// wait goes on.
func (w *waiter) followOld(seen *observer.Observation, decisive bool) {
	if seen == nil || seen.Old == nil {
		if decisive || !w.hidden {
			w.old, w.hidden = oldHolder{}, false
		}
		return
	}
	w.hidden = decisive
	o := seen.Old
	now := oldHolder{o.Dialect, o.Path, o.Hostname, o.StartedAt, o.Token, o.PID, o.Generation}
	if now == w.old {
		return
	}
	if w.holder != "" {
		w.before, w.holder = w.holder, ""
	}
	w.old, w.since, w.poll = now, w.env.Clock.Now(), shortestPoll
}

// oldLostError says that an old program took away the old lock that the lease
// holds in hold mode. It is reported like losing our own.
type oldLostError struct {
	lock string
	err  error
}

func (e *oldLostError) Error() string        { return "lock " + e.lock + ": " + e.err.Error() }
func (e *oldLostError) Unwrap() error        { return e.err }
func (e *oldLostError) Is(target error) bool { return target == ErrLost }

// oldError makes the loss of an old lock the loss of the lease.
func (l *Lease) oldError(err error) error {
	if errors.Is(err, legacy.ErrLost) {
		return &oldLostError{l.lock.given, err}
	}
	return err
}
