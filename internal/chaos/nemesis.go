//go:build unix

package main

import (
	"context"
	"math/rand/v2"
	"time"
)

// nemesis kills and stops until the round is over.
func (r *round) nemesis(ctx context.Context) error {
	random := r.plan.source("nemesis")
	stops := make(chan *hand, 1024)
	stopped := make(map[*hand]bool)
	resume := func(h *hand) {
		r.crew.proceed(h)
		delete(stopped, h)
	}
	defer func() {
		for h := range stopped {
			r.crew.proceed(h)
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case h := <-stops:
			resume(h)
			continue
		case <-time.After(exponential(random, 60*time.Millisecond)):
		}
		h := r.crew.hands[random.IntN(len(r.crew.hands))]
		if what := random.IntN(5); what < 2 {
			delete(stopped, h)
			if err := r.crew.kill(h); err != nil {
				return err
			}
			r.sums.kills++
			if h.task.Role == "house" {
				r.sums.houseKills++
			}
		} else if !stopped[h] {
			r.crew.stop(h)
			stopped[h] = true
			r.sums.stops++
			length := exponential(random, 80*time.Millisecond)
			if random.IntN(12) == 0 {
				length += time.Second
			}
			time.AfterFunc(length, func() { stops <- h })
		}
	}
}

func exponential(r *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(r.ExpFloat64() * float64(mean))
}

// spoil fills the disk and makes it read-only, one after the other, until the round
// is over.
func (r *round) spoil(ctx context.Context) {
	random := r.plan.source("disk")
	for {
		kind := r.disk.kinds()[random.IntN(len(r.disk.kinds()))]
		length, rest := exponential(random, 150*time.Millisecond), exponential(random, 500*time.Millisecond)
		if !sleep(ctx, rest) {
			return
		}
		since := now()
		mend := r.disk.spoil(ctx, kind)
		if mend == nil {
			continue // not possible at this moment
		}
		sleep(ctx, length)
		mend()
		r.crew.history.say(event{What: fault, Since: since, At: now(), Who: "disk", Text: kind})
		if kind == readOnly || kind == frozen {
			r.sums.readOnly++
		} else {
			r.sums.full++
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
