// Package watch wakes those who wait for a lock. It decides nothing: whoever is
// woken looks again, and whoever is not looks all the same before long.
//
// Waiters line up on an OS lock of one file in the lock's root, the queue (rule
// 16). Only the head of the line watches the held generation, so a release wakes
// one process however many wait, and in the order in which they came. Everybody
// else sleeps in the kernel, and tries by itself about once a second, so that a
// head that is stopped blocks nobody. Waiting writes nothing (rule 4).
//
// The head is woken by whatever the system offers: a notice that the directory
// moved, the end of the holder's process, the holder's witness becoming free. It
// polls where one of them is missing.
package watch

import (
	"context"
	"math/rand/v2"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

const (
	// soon is how long somebody in the line leaves a free lock to the head.
	soon = 50 * time.Millisecond
	// doubt is how long the head relies on wake-ups that may not come: those of a
	// witness that the holder's children may keep, and on overlay, which hides
	// what happens below it.
	doubt = 100 * time.Millisecond
	// brief is how long the head does without watching the holder's end.
	brief = 3 * time.Millisecond
	// mostNotices bounds how often one holder is watched anew, so that notices
	// without a reason cannot make us spin.
	mostNotices = 32
)

// Holder is for whom we wait. Its zero value is nobody.
type Holder struct {
	Generation string
	// PID is the holder's process if this process can see it, else 0.
	PID int
	// Witness is the name of its witness below current, "" if it keeps none.
	Witness string
}

// Waiter is one wait for one lock. It is for one goroutine. A nil Waiter is one
// that nothing can wake.
type Waiter struct {
	root  vfs.Dir
	id    vfs.ID // of root
	kind  vfs.Kind
	place *place // in the line; nil when there is no line
	// due: it tries by itself. ahead: it does not line up, see rested; goesOn: the
	// same, see spell.
	due, ahead, goesOn bool
	// waited: this is no first try. headed: as the head of the line. expired: nothing
	// ended the last wait. dozed: for this holder.
	waited, headed, expired, dozed bool
	glance                         glance
	of                             Holder
	moved                          *source // current was retired
	armed                          vfs.ID  // of what is watched
	unseen                         bool    // the caller has not looked since it is watched
	// notices counts how often moved was set up for this holder.
	notices int
	death   death
}

// New prepares a wait in root, which stays the caller's and must outlive Leave. It
// does nothing yet. It returns nil where polling is all there is: on a model file
// system, on systems that cannot wake us, and on network file systems, which do not
// tell what other hosts do and where a blocked lock may never return.
func New(root vfs.Dir, id vfs.ID, kind vfs.Kind) *Waiter {
	if _, ok := root.(vfs.OSFile); !ok || !supported || !kind.Local {
		return nil
	}
	return &Waiter{root: root, id: id, kind: kind}
}

// Turn tells whether it is our turn to take a lock that is free: we are the head of
// the line, or there is none, or we have waited long enough for its head, or this
// process had its turn a moment ago and goes on, or may go ahead again.
func (w *Waiter) Turn() bool {
	if w == nil {
		return true
	}
	if w.place == nil && !w.waited && w.goAhead() {
		return true
	}
	w.lineUp()
	return w.place == nil || w.place.ours() || w.due
}

// goAhead tells whether there is no need to line up.
func (w *Waiter) goAhead() bool {
	now, t := time.Now(), lately(w.id)
	w.goesOn = t.goesOn(now)
	w.ahead = w.goesOn || t.overtakes(now)
	return w.ahead
}

// Wait returns nil when looking again may help, at the latest after most, and the
// context's cause as soon as ctx ends. About once a second it glances by itself. The
// first wait for a holder may return at once, because what happened before we watched
// is not told. poll is how long to sleep where nothing can wake us. Glance must have
// been called before the caller looked.
func (w *Waiter) Wait(ctx context.Context, h Holder, poll, most time.Duration) error {
	if w.dozed && w.of == h && !w.wakes() {
		return w.doze(ctx, poll, most)
	}
	begun, first := time.Now(), most
	if most >= 2*own {
		first = ownTry()
	}
	err := w.wait(ctx, h, poll, min(first, own))
	left := most - time.Since(begun)
	if err != nil || !w.expired || left <= 0 || !w.unchanged() {
		return err
	}
	return w.doze(ctx, poll, left)
}

func (w *Waiter) wait(ctx context.Context, h Holder, poll, most time.Duration) error {
	w.due, w.waited, w.expired, w.ahead, w.goesOn = false, true, false, false, false
	w.follow(h)
	w.lineUp()
	switch {
	case w.place == nil:
		return sleep(ctx, min(poll, most))
	case !w.place.ours():
		return w.inLine(ctx, poll, most)
	case h.Generation == "":
		return sleep(ctx, min(poll, most))
	case w.moved == nil && (!w.rearm() || w.moved != nil && w.death.watched()):
		return nil // there is nothing any more, or perhaps another holder
	}
	return w.atHead(ctx, poll, most)
}

// Missing tells whether there is no line because its file is missing.
func (w *Waiter) Missing() bool {
	if w == nil || w.place != nil || w.ahead {
		return false
	}
	_, err := w.root.Lstat(queueName)
	return vfs.IsVanished(err)
}

// Leave ends the wait: it leaves the line, and lets the next one be its head. It
// may be called again, and the Waiter be used again.
func (w *Waiter) Leave() {
	if w == nil {
		return
	}
	w.follow(Holder{})
	w.disarm()
	if w.ahead || w.place.ours() {
		remember(w.id, !w.goesOn, w.waited)
	}
	if w.place != nil {
		w.place.leave()
		w.place = nil
	}
	w.due, w.waited, w.headed, w.ahead, w.goesOn = false, false, false, false, false
}

// lineUp takes a place in the line if there is one to be had.
func (w *Waiter) lineUp() {
	if w.place == nil {
		w.place = ask(w.root, queueName, vfs.Exclusive, func() { giveWay(w.root, w.id) })
	}
}

// follow forgets what was set up for another holder.
func (w *Waiter) follow(h Holder) {
	if w.of != h {
		w.death.stop()
		w.closeWitness()
		w.of, w.notices, w.death, w.dozed = h, 0, death{}, false
	}
}

// inLine sleeps until we are the head of the line or may try by ourselves. A lock
// that is free while we are not the head is about to be taken, unless the head is
// stopped.
func (w *Waiter) inLine(ctx context.Context, poll, most time.Duration) error {
	patience := most
	if w.of.Generation == "" {
		patience = min(most, soon/2+rand.N(soon/2))
	}
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-w.place.granted:
		if !w.place.ours() { // the system refused
			w.place.leave()
			w.place = nil
			return sleep(ctx, soon)
		}
		if w.rearm() && w.moved != nil {
			return w.atHead(ctx, poll, most)
		}
	case <-t.C:
		w.due, w.expired = true, true
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
