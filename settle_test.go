//go:build unix

package genlock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// TestBrokenWhileSettling: an old lock appears while ours is published, so that ours is
// given back, and an operator breaks it right before that. Nobody has got a lease
// then that could be lost: what is reported is the old lock that stands in the way.
// (Chaos found that it was reported as lost.)
func TestBrokenWhileSettling(t *testing.T) {
	lock := genlock.New(filepath.Join(t.TempDir(), "k.lock"), &genlock.Options{Dialects: "mkdir"})
	e := *env.From(context.Background())
	published, broken := false, false
	e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		switch {
		case op.Verb == faultfs.Rename && filepath.Base(op.To) == protocol.CurrentName:
			published = true
			return os.Mkdir(lock.Path(), 0o777)
		case published && !broken && op.Path == lock.Path():
			broken = true
			seen, err := observer.Look(context.Background(), lock.Path(), protocol.Genlock)
			if err != nil {
				return err
			}
			return breakGeneration(context.Background(), lock, seen.Generation)
		}
		return nil
	}})
	lease, err := lock.TryAcquire(env.With(context.Background(), &e))
	if err == nil {
		lease.Release()
	}
	var held *genlock.HeldError
	if !broken || !errors.As(err, &held) || held.Seen.Old == nil || errors.Is(err, genlock.ErrLost) {
		t.Errorf("broken %v; reported %v, want the old lock", broken, err)
	}
}
