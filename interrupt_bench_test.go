//go:build unix

package genlock_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock"
)

// interruptWithin is how soon a waiter that is interrupted has to be back.
const interruptWithin = 100 * time.Millisecond

// interrupted is one wait for a lock that somebody else holds, ended by its context. It
// returns how long the waiter took to return after that.
func interrupted(tb testing.TB, path string) time.Duration {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	waiting := make(chan struct{}, 1)
	waiter := genlock.New(path, &genlock.Options{OnEvent: func(e genlock.Event) {
		select {
		case waiting <- struct{}{}:
		default:
		}
	}})
	back := make(chan error, 1)
	go func() {
		_, err := waiter.Acquire(ctx)
		back <- err
	}()
	<-waiting
	began := time.Now()
	cancel()
	err := <-back
	took := time.Since(began)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, genlock.ErrHeld) {
		tb.Fatal(err)
	}
	return took
}

// heldHere is a lock that a goroutine of this process holds.
func heldHere(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "k.lock")
	lease, err := genlock.New(path, nil).Acquire(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { lease.Release() })
	return path
}

// heldElsewhere is a lock that another process holds until the test is over: a command
// that outlived the one that took the lock.
func heldElsewhere(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "k.lock")
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	role, err := json.Marshal(&orphaner{Lock: path})
	if err != nil {
		tb.Fatal(err)
	}
	in, out, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	defer in.Close()
	tb.Cleanup(func() { out.Close() }) // which ends the command
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), orphanerVariable+"="+string(role))
	cmd.Stdin = in
	if cmd.Run(); cmd.ProcessState.ExitCode() != -1 {
		tb.Fatalf("the holder ended by itself: %v", cmd.ProcessState)
	}
	return path
}

// BenchmarkInterrupt reports how long an interrupted waiter takes to return, behind a
// goroutine of its own process and behind another process.
func BenchmarkInterrupt(b *testing.B) {
	for name, held := range map[string]func(testing.TB) string{"memory": heldHere, "disk": heldElsewhere} {
		b.Run(name, func(b *testing.B) {
			path := held(b)
			var all []time.Duration
			for b.Loop() {
				all = append(all, interrupted(b, path))
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Nanoseconds()), "median-ns")
			b.ReportMetric(float64(all[len(all)-1].Nanoseconds()), "worst-ns")
		})
	}
}

// TestInterruptLeavesNothing: interrupted waiters are back soon, and leave neither a
// candidate nor a claim.
func TestInterruptLeavesNothing(t *testing.T) {
	for name, held := range map[string]func(testing.TB) string{"memory": heldHere, "disk": heldElsewhere} {
		t.Run(name, func(t *testing.T) {
			path := held(t)
			var all []time.Duration
			for range 20 {
				all = append(all, interrupted(t, path))
			}
			slices.Sort(all)
			// Not the worst one: the machine may have stopped us for a while.
			if median := all[len(all)/2]; median > interruptWithin {
				t.Errorf("half of the waiters took more than %s", median)
			}
			t.Logf("median %s, worst %s", all[len(all)/2], all[len(all)-1])
			entries, err := os.ReadDir(path + ".v3")
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if strings.HasPrefix(e.Name(), "candidate") || strings.HasPrefix(e.Name(), "observers") {
					t.Errorf("%s is left", e.Name())
				}
			}
		})
	}
}
