// Package env bundles what the protocol code needs from the outside: a file
// system, a machine, a clock, ids. Production uses System; tests and the
// schedule explorer put their own into the context.
package env

import (
	"context"
	"time"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Env is one outside world. It is not changed once in use.
type Env struct {
	FS      vfs.FS
	Machine evidence.Machine
	Clock   Clock
	NewID   func() (protocol.ID, error)
	Leases  *Leases
	shelf   *shelf
}

// Clock tells and spends time. It withholds verdicts; it never gives one.
type Clock interface {
	Now() time.Time
	// Sleep returns nil after d, or the context's cause as soon as it ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// RealTime tells whether Clock is that of the machine, so that waiting for the
// system itself is waiting in this world too.
func (e *Env) RealTime() bool {
	_, ok := e.Clock.(wallClock)
	return ok
}

type key struct{}

// With returns a context in which From finds e.
func With(ctx context.Context, e *Env) context.Context { return context.WithValue(ctx, key{}, e) }

// From returns the world in ctx, the real one by default.
func From(ctx context.Context) *Env {
	if e, ok := ctx.Value(key{}).(*Env); ok {
		return e
	}
	return system
}

var system = (&Env{FS: vfs.OS(), Machine: evidence.System(), Clock: wallClock{}, NewID: protocol.NewID,
	Leases: &Leases{}}).Keeping()

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
