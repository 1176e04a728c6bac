package watch

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// own is how often everybody tries by itself, at least (rule 16).
	own = time.Second
	// glances is how often a glance will do. Then the evidence may have become
	// another one, and only a whole look shows that.
	glances = 10
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
	left, until := glances, time.Now().Add(most)
	next := func() time.Duration {
		d := min(ownTry(), time.Until(until))
		if w.place.ours() {
			d = w.rely(poll, d)
		}
		return max(d, time.Microsecond)
	}
	l.stop = alarm(next, func() (again bool) {
		if left--; left > 0 && time.Now().Before(until) && w.unchanged() {
			return true
		}
		close(l.told)
		return false
	})
	return l
}

// doze waits on after a wait in which nothing happened, until something does. It differs
// from waiting in what it costs: see alarm.
func (w *Waiter) doze(ctx context.Context, poll, most time.Duration) error {
	l := w.lookOut(poll, most)
	defer l.stop()
	if w.place.ours() {
		_, err := w.await(ctx, l.told)
		return err
	}
	select {
	case <-w.place.granted:
	case <-l.told:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
