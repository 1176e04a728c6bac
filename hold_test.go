package genlock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"genlock.dev/genlock"
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

// TestDialectOptions: what cannot be right is reported by the first use.
func TestDialectOptions(t *testing.T) {
	for _, o := range []genlock.Options{{Dialects: "flock"}, {Dialects: "mkdir,mkdir"}, {Hold: true},
		{Dialects: "token,heartbeat", Hold: true}} {
		if _, err := genlock.New(filepath.Join(t.TempDir(), "k.lock"), &o).TryAcquire(t.Context()); !errors.Is(err, genlock.ErrUsage) {
			t.Errorf("%q, hold %v: %v", o.Dialects, o.Hold, err)
		}
	}
}
