//go:build unix

package genlock_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// TestInterruptAnyMoment interrupts an acquisition before each single one of its file
// operations: on the first use of a lock, through a wait and the hand-over that ends
// it, through a reclaim, and in Do. Whatever comes of it, the waiter returns,
// leaves neither a candidate nor a claim nor a held lock, and the next one is not
// held up.
func TestInterruptAnyMoment(t *testing.T) {
	for _, situation := range []string{"first use", "held", "dead", "do"} {
		t.Run(situation, func(t *testing.T) {
			moments, interrupted := 0, 0
			for at := 1; ; at++ {
				reached, err := interruptAt(t, situation, at)
				if errors.Is(err, context.Canceled) {
					interrupted++
				} else if err != nil {
					t.Fatalf("before operation %d: %v", at, err)
				}
				if !reached {
					break
				}
				moments++
			}
			t.Logf("%d moments; %d times the acquisition was given up, and otherwise it was done", moments, interrupted)
			if moments < 10 || interrupted == 0 && situation != "first use" { // a free lock is taken
				t.Error("too few to mean anything")
			}
		})
	}
}

// interruptAt is one acquisition, interrupted before its file operation number at. It
// tells whether it came that far, and the error if the acquisition was given up.
func interruptAt(t *testing.T, situation string, at int) (reached bool, err error) {
	t.Helper()
	c := &crasher{Dir: t.TempDir(), Verb: "acquire"}
	var holder *genlock.Lease
	switch situation {
	case "held", "do":
		holder = acquireElsewhere(t, c.lock())
	case "dead":
		c.Verb = "reclaim"
		prepareFor(t, c)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e := *env.From(ctx)
	var n atomic.Int64
	var here atomic.Bool
	e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(faultfs.Op) error {
		if n.Add(1) == int64(at) {
			here.Store(true)
			cancel()
		}
		return nil
	}})
	lock := genlock.New(c.lock().Path(), &genlock.Options{OnEvent: func(e genlock.Event) {
		if e.Kind == genlock.EventWaiting && holder != nil && holder.Check() == nil && !here.Load() {
			if err := holder.Release(); err != nil {
				t.Error(err)
			}
		}
	}})
	err = take(env.With(ctx, &e), lock, situation)
	reached = here.Load()
	if err != nil && !errors.Is(err, context.Canceled) {
		return reached, err
	}
	given := err
	if left := inFlight(lock); len(left) > 0 {
		return reached, fmt.Errorf("left over: %q (%v)", left, given)
	}
	if holder != nil {
		holder.Release()
	}
	next, err := c.lock().TryAcquire(context.Background())
	if err != nil {
		return reached, fmt.Errorf("the next one: %w (%v)", err, given)
	}
	return reached, errors.Join(given, next.Release())
}

// take acquires and releases, or builds.
func take(ctx context.Context, lock *genlock.Lock, situation string) error {
	if situation == "do" {
		_, err := lock.Do(ctx, genlock.Artifact{Path: filepath.Join(filepath.Dir(lock.Path()), "out")},
			func(_ context.Context, w *genlock.Work) error { return os.WriteFile(w.Out, nil, 0o666) })
		return err
	}
	lease, err := lock.Acquire(ctx)
	if err != nil {
		return err
	}
	return lease.Release()
}

// inFlight is what an acquisition makes on its way: candidates, and claims on what is
// current.
func inFlight(lock *genlock.Lock) (left []string) {
	root := lock.Path() + protocol.RootSuffix
	claims := filepath.Join(root, protocol.CurrentName, protocol.ObserversName) + string(filepath.Separator)
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (strings.Contains(d.Name(), "candidate-") || strings.HasPrefix(path, claims)) {
			left = append(left, path)
		}
		return nil
	})
	return left
}
