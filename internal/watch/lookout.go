package watch

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// own is how often everybody tries by itself, at least (rule 16).
	own = time.Second
	// glancing is for how long glances will do. Then the evidence may have become
	// another one, or the root may have been moved, and only a whole look shows that.
	glancing = 30 * time.Second
	// LongestPoll is how seldom, at most, one looks whom nothing can wake.
	LongestPoll = 25 * time.Millisecond
)

// ownTry is how long until the next try by ourselves, with jitter, so that waiters do
// not move in step.
func ownTry() time.Duration { return own - rand.N(own/10) }

// lookout glances at the holder from time to time while the goroutine that waits for it
// sleeps on, and tells when that goroutine should look.
type lookout struct {
	told chan time.Time // as a timer's
	stop func()         // after it nothing glances any more
}

func (w *Waiter) lookOut(poll, most time.Duration) *lookout {
	l := &lookout{told: make(chan time.Time)}
	until := time.Now().Add(min(most, glancing))
	hears := keen // of its turn in the line everybody is told
	if w.headed {
		hears = w.hears() // which does not change before it is woken
	}
	next := func() time.Duration {
		d := hears.rely(poll/2+rand.N(poll), min(ownTry(), time.Until(until)))
		poll = min(poll*3/2, LongestPoll)
		return max(d, time.Microsecond)
	}
	l.stop = alarm(next, func() (again bool) {
		again = time.Now().Before(until) && w.unchanged()
		if !again {
			close(l.told)
		}
		return again
	})
	return l
}

// wakes tells whether there is something to set up, or to do, before dozing.
func (w *Waiter) wakes() bool {
	if w.place == nil {
		return true
	}
	if w.headed {
		return w.moved == nil || !w.death.watched() && w.death.more(w.of)
	}
	select {
	case <-w.place.granted:
		return true
	default:
		return false
	}
}

// doze waits on after a wait in which nothing happened, until something does. It differs
// from waiting in what it costs: see alarm.
func (w *Waiter) doze(ctx context.Context, poll, most time.Duration) error {
	w.dozed = true
	l := w.lookOut(poll, most)
	defer l.stop()
	if w.headed {
		_, err := w.await(ctx, l.told)
		return err
	}
	select {
	case <-w.place.granted:
	case <-l.told:
		w.due = true
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
