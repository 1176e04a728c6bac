package genlock

import (
	"context"
	"math/rand/v2"
	"time"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/watch"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

const (
	shortestPoll = time.Millisecond
	reportEvery  = time.Second
	unbounded    = time.Hour // is for no bound
)

// waiter keeps what one acquisition knows of its wait: since when, for whom, what
// it told, and when it gives up.
type waiter struct {
	lock  *Lock
	env   *env.Env
	began time.Time

	holder   protocol.ID // for whom we wait now
	old      oldHolder   // the same, when it is a holder of an old lock
	hidden   bool        // that one shows in the decisive look alone
	since    time.Time   // since when
	before   protocol.ID // for whom we waited before that
	last     *observer.Observation
	waiting  bool // a wait was reported or begun
	reported time.Time
	noted    protocol.ID // the last note that was there before, or was told
	knowNote bool
	poll     time.Duration
	line     *watch.Waiter // nil where nothing can wake us
}

func (w *waiter) begin(l *Lock, e *env.Env) {
	w.lock, w.env, w.began, w.poll = l, e, e.Clock.Now(), shortestPoll
}

func (w *waiter) waited() time.Duration {
	if !w.waiting {
		return 0
	}
	return w.env.Clock.Now().Sub(w.began)
}

// saw takes a look into account: a new holder starts a new wait for it. It tells
// whether somebody we waited for is done.
func (w *waiter) saw(root *fence.Root, seen *observer.Observation) (changed bool) {
	if w.waiting || seen.State != observer.Free {
		w.note(root)
	}
	return w.follow(seen)
}

func (w *waiter) follow(seen *observer.Observation) (changed bool) {
	if seen.Generation == w.holder {
		return false
	}
	if w.holder != "" {
		w.before = w.holder
	}
	if seen.Generation != "" {
		w.old = oldHolder{} // if anybody still holds an old lock, he waits, too, or will be met
	}
	w.holder, w.since, w.poll = seen.Generation, w.env.Clock.Now(), shortestPoll
	return w.waiting
}

// note tells about the tenure before, if it failed while we waited.
func (w *waiter) note(root *fence.Root) {
	if w.waiting || !w.knowNote {
		w.learn(seal.Open(root).Last())
	}
}

// learn takes the note into account: what was there when the wait began is no news.
func (w *waiter) learn(last *protocol.Last) {
	var id protocol.ID
	if last != nil {
		id = last.Generation
	}
	if w.knowNote && last != nil && id != w.noted {
		w.lock.emit(Event{Kind: EventFailed, Generation: id, Last: last, Waited: w.waited()}, w.env.Clock.Now())
	}
	w.noted, w.knowNote = id, true
}

// tick is one look during a wait in memory, behind a goroutine of this process. It
// returns when to look again, or the *HeldError that ends the wait.
func (w *waiter) tick(ctx context.Context, at place) (time.Duration, error) {
	seen, err := lookFrom(at, w.lock.options.Format, func() (*observer.Observation, error) {
		return observer.Look(ctx, w.lock.path, w.lock.options.Format)
	})
	if err == nil {
		w.learn(seen.Last)
		w.follow(seen)
		w.report(seen)
	}
	left, cause := w.budget()
	if left <= 0 {
		return 0, w.held(w.last, cause)
	}
	return min(left, reportEvery), nil
}

func (w *waiter) report(seen *observer.Observation) {
	now := w.env.Clock.Now()
	same := w.last != nil && seen.Generation == w.last.Generation && seen.State == w.last.State &&
		(seen.Evidence == w.last.Evidence || seen.Old != nil && w.last.Old != nil) // an old lock's tells its age
	w.waiting, w.last = true, seen
	if same && now.Sub(w.reported) < w.repeatsAfter() {
		return
	}
	w.reported = now
	e := Event{Kind: EventWaiting, Generation: seen.Generation, Seen: seen, Waited: now.Sub(w.began)}
	if !same {
		w.lock.record(e, now)
	}
	w.lock.emit(e, now)
}

// repeatsAfter is how long after the last report the same is told again.
func (w *waiter) repeatsAfter() time.Duration {
	if w.reported.Sub(w.began) < reportEvery {
		return reportEvery // people begin to wonder
	}
	return max(w.lock.options.EventEvery, reportEvery)
}

// sleep waits until looking again may help, or returns the *HeldError that ends the
// wait. A short one lasts a second at most.
func (w *waiter) sleep(ctx context.Context, seen *observer.Observation, short bool) error {
	if seen.State != observer.Free {
		w.report(seen)
	}
	w.waiting = true
	if ctx.Err() != nil {
		return w.held(seen, context.Cause(ctx))
	}
	d, cause := w.budget()
	if d <= 0 {
		return w.held(seen, cause)
	}
	// With jitter, so that waiters do not move in step.
	poll := w.poll/2 + rand.N(w.poll)
	w.poll = min(w.poll*3/2, watch.LongestPoll)
	var err error
	if w.line == nil || seen.Old != nil {
		// Nothing tells when an old lock goes. The line is not held up for it.
		w.line.Leave()
		err = w.env.Clock.Sleep(ctx, min(d, poll))
	} else {
		err = w.line.Wait(ctx, w.watched(seen), poll, min(d, w.untilReport(seen, short)))
	}
	if err != nil {
		return w.held(seen, err)
	}
	return nil
}

// budget is how long we may still wait, and what to say when that is over.
func (w *waiter) budget() (time.Duration, error) {
	left, cause := time.Duration(unbounded), error(context.DeadlineExceeded)
	now := w.env.Clock.Now()
	if b := w.lock.options.Wait; b > 0 {
		left = b - now.Sub(w.began)
	}
	if b := w.lock.options.PerHolder; b > 0 && (w.holder != "" || w.old != oldHolder{}) {
		if d := b - now.Sub(w.since); d < left {
			left, cause = d, errPerHolder
		}
	}
	return left, cause
}

func (w *waiter) held(seen *observer.Observation, cause error) error {
	now := w.env.Clock.Now()
	return &HeldError{Lock: w.lock.given, Seen: seen, Waited: now.Sub(w.began), Cause: cause, at: now}
}

// heldLocally is the error of a wait in memory that ended.
func (w *waiter) heldLocally(ctx context.Context) error {
	var cause error
	if ctx.Err() != nil {
		cause = context.Cause(ctx)
	}
	seen := w.last
	if seen == nil {
		look, err := observer.Look(context.WithoutCancel(ctx), w.lock.path, w.lock.options.Format)
		if err == nil && look.State != observer.Free {
			seen = look
		}
	}
	return w.held(seen, cause)
}
