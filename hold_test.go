package genlock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/legacy"
)

// TestHoldLost: losing the old lock, to an old program or by hand, is losing the lease.
func TestHoldLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.lock")
	lock := genlock.New(path, &genlock.Options{Dialects: "mkdir", Hold: true})
	lease, err := lock.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Check(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := lease.Check(); !errors.Is(err, genlock.ErrLost) || !errors.Is(err, legacy.ErrLost) {
		t.Errorf("check without the old lock: %v", err)
	}
	ctx := lease.Context(t.Context())
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, genlock.ErrLost) {
		t.Errorf("the context ended with %v", cause)
	}
	if err := lease.Release(); !errors.Is(err, genlock.ErrLost) {
		t.Errorf("released: %v", err)
	}
	if lease, err := lock.TryAcquire(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	} else if err := lease.Release(); err != nil {
		t.Error(err)
	}
}

// fastClock is one on which sleeping takes no time.
type fastClock struct {
	now    time.Time
	passed func() // after each sleep
}

func (c *fastClock) Now() time.Time { return c.now }

func (c *fastClock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	c.passed()
	return context.Cause(ctx)
}

// TestOldHolderBound: the bound for a single holder is one for an old holder, too, and
// starts anew with the next one.
func TestOldHolderBound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.lock")
	record := func(pid int) {
		t.Helper()
		data := fmt.Sprintf(`{"hostname":"elsewhere","pid":%d,"startedAt":"2026-01-02T03:04:05Z"}`, pid)
		if err := os.WriteFile(filepath.Join(path, "owner.json"), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	record(1)
	// The next holder comes when most of the time for the first one is over.
	clock := &fastClock{now: time.Now()}
	began, second := clock.now, false
	clock.passed = func() {
		if !second && clock.now.Sub(began) >= 2*time.Second {
			second = true
			record(2)
		}
	}
	e := *env.From(t.Context())
	e.Clock = clock
	ctx := env.With(t.Context(), &e)
	_, err := genlock.New(path, &genlock.Options{Dialects: "mkdir", Wait: time.Minute, PerHolder: 2500 * time.Millisecond}).Acquire(ctx)
	var held *genlock.HeldError
	if !errors.As(err, &held) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "gave up on this holder") {
		t.Fatalf("got %v", err)
	}
	if held.Seen.Old == nil || held.Seen.Old.PID != 2 {
		t.Errorf("it gave up on %+v", held.Seen.Old)
	}
	if waited := clock.Now().Sub(began); waited < 4500*time.Millisecond || waited > 5*time.Second {
		t.Errorf("it waited for %s", waited)
	}
}

// TestOwnOldLock: an old lock that this very process holds is an error at once, since
// waiting for it would never end. It stands there because somebody moved it by
// hand, say.
func TestOwnOldLock(t *testing.T) {
	for _, dialect := range []string{"token", "mkdir"} {
		dir := t.TempDir()
		lease, err := genlock.New(filepath.Join(dir, "k.lock"), &genlock.Options{Dialects: dialect, Hold: true}).Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(dir, "other.lock")
		if err := os.Rename(filepath.Join(dir, "k.lock"), other); err != nil {
			t.Fatal(err)
		}
		_, err = genlock.New(other, &genlock.Options{Dialects: dialect}).Acquire(t.Context()) // without a bound
		if !errors.Is(err, legacy.ErrOwn) || !errors.Is(err, genlock.ErrHeld) && !errors.Is(err, legacy.ErrHeld) ||
			!strings.Contains(err.Error(), "you already hold this") {
			t.Errorf("%s: %v", dialect, err)
		}
		if err := lease.Release(); !errors.Is(err, genlock.ErrLost) {
			t.Errorf("%s: the release of what was moved away: %v", dialect, err)
		}
		// Now nobody holds it, and this process knows.
		if lease, err = genlock.New(other, &genlock.Options{Dialects: dialect}).TryAcquire(t.Context()); err != nil {
			t.Errorf("%s: what is left of it: %v", dialect, err)
		} else if err := lease.Release(); err != nil {
			t.Error(err)
		}
	}
}

// TestOldListsNothing: the directory of the locks is never listed on the way to a lock,
// with an old lock in the way or without.
func TestOldListsNothing(t *testing.T) {
	for _, dialect := range []string{"mkdir,v2", "token=here", "heartbeat=10s"} {
		for _, hold := range []bool{false, true} {
			dir := t.TempDir()
			var listed []string
			e := *env.From(t.Context())
			e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
				if op.Verb == faultfs.Names && op.Path == dir {
					listed = append(listed, op.String())
				}
				return nil
			}})
			lock := genlock.New(filepath.Join(dir, "k.lock"), &genlock.Options{Dialects: dialect, Hold: hold})
			ctx := env.With(t.Context(), &e)
			for range 3 {
				lease, err := lock.TryAcquire(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if err := lease.Release(); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(lock.Path(), 0o777); err != nil {
				t.Fatal(err)
			}
			if _, err := lock.TryAcquire(ctx); !errors.Is(err, genlock.ErrHeld) {
				t.Errorf("%s: %v", dialect, err)
			}
			if len(listed) > 0 {
				t.Errorf("%s, hold %v: %q", dialect, hold, listed)
			}
		}
	}
}

// TestDialectOptions: what cannot be right is reported by the first use.
func TestDialectOptions(t *testing.T) {
	for _, o := range []genlock.Options{{Dialects: "flock"}, {Dialects: "mkdir,mkdir"}, {Hold: true},
		{Dialects: "token,heartbeat", Hold: true}} {
		if _, err := genlock.New(filepath.Join(t.TempDir(), "k.lock"), &o).TryAcquire(t.Context()); !errors.Is(err, genlock.ErrUsage) {
			t.Errorf("%q, hold %v: %v", o.Dialects, o.Hold, err)
		}
	}
}
