//go:build unix

package genlock_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
)

// TestQueueOfHonestHolders: seven others hold the lock one after the other, for ten
// seconds each. A bound for each holder lets the last one in; a bound of the same size
// for all of them does not, and says so.
func TestQueueOfHonestHolders(t *testing.T) {
	const others, turn, bound = 7, 10 * time.Second, 15 * time.Second
	for name, options := range map[string]genlock.Options{"per holder": {PerHolder: bound}, "in all": {Wait: bound}} {
		t.Run(name, func(t *testing.T) {
			began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			path := filepath.Join(t.TempDir(), "k.lock")
			holder, done := acquireElsewhere(t, genlock.New(path, nil)), 0
			clock := &fastClock{now: began}
			clock.passed = func() {
				if done == others || clock.now.Sub(began) < time.Duration(done+1)*turn {
					return
				}
				if err := holder.Release(); err != nil {
					t.Error(err)
				}
				if done++; done < others {
					holder = acquireElsewhere(t, genlock.New(path, nil))
				}
			}
			e := *env.From(context.Background())
			e.Clock = clock
			lease, err := genlock.New(path, &options).Acquire(env.With(context.Background(), &e))
			waited := clock.now.Sub(began)
			if options.PerHolder > 0 {
				if err != nil || waited < others*turn {
					t.Fatalf("%v after %s", err, waited)
				}
				if err := lease.Release(); err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, genlock.ErrHeld) || !errors.Is(err, context.DeadlineExceeded) || waited < bound || waited > bound+turn {
				t.Errorf("%v after %s", err, waited)
			}
		})
	}
}
