//go:build unix

package genlock_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

const crasherVariable = "GENLOCK_TEST_CRASHER"

// crasher is a process that does one thing and is killed right before its file
// operation number At. It prints that operation.
type crasher struct {
	Dir, Verb string
	At        int
}

func (c *crasher) lock() *genlock.Lock { return genlock.New(filepath.Join(c.Dir, "k.lock"), nil) }

func (c *crasher) run() error {
	counting := false
	n := 0
	e := *env.From(context.Background())
	e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if !counting {
			return nil
		}
		if n++; n == c.At {
			fmt.Println(op)
			return killSelf()
		}
		return nil
	}})
	return c.perform(env.With(context.Background(), &e), func() { counting = true })
}

// perform does the verb; from is called where its cut points begin.
func (c *crasher) perform(ctx context.Context, from func()) error {
	lock := c.lock()
	switch c.Verb {
	case "acquire", "reclaim":
		from()
		_, err := lock.TryAcquire(ctx)
		return err
	case "release":
		lease, err := lock.TryAcquire(ctx)
		if err != nil {
			return err
		}
		from()
		return lease.Release()
	case "fail":
		lease, err := lock.TryAcquire(ctx)
		if err != nil {
			return err
		}
		from()
		return errors.Join(lease.Failed(3, "no"), lease.Release())
	case "do":
		from()
		// Bounded, because the one who overtakes us waits for our end.
		lock = genlock.New(lock.Path(), &genlock.Options{Wait: 50 * time.Millisecond})
		_, err := lock.Do(ctx, genlock.Artifact{Path: filepath.Join(c.Dir, "out", "tool")},
			func(_ context.Context, w *genlock.Work) error { return os.WriteFile(w.Out, []byte("whole"), 0o666) })
		return err
	case "collect":
		root, err := fence.Open(ctx, lock.Path(), protocol.Genlock)
		if err != nil {
			return err
		}
		from()
		_, err = retire.Collect(ctx, root, 0)
		return err
	case "break":
		root, err := fence.Open(ctx, lock.Path(), protocol.Genlock)
		if err != nil {
			return err
		}
		seen, err := lock.Status(ctx)
		if err != nil {
			return err
		}
		from()
		f, err := fence.Claim(ctx, root, seen.Generation)
		if err != nil {
			return err
		}
		return errors.Join(retire.Break(ctx, f, retire.Word{By: "me"}), f.Withdraw())
	}
	return errors.New("no such verb " + c.Verb)
}

// TestCrashAtEveryStep kills a process right before each single file operation of
// every verb. Whatever is left, the next one takes the lock by itself at once,
// adopts or builds a whole artifact, and one collection leaves nothing behind.
func TestCrashAtEveryStep(t *testing.T) {
	for _, verb := range []string{"acquire", "release", "reclaim", "do", "fail", "collect", "break"} {
		t.Run(verb, func(t *testing.T) {
			for at := 1; ; at++ {
				c := &crasher{Dir: t.TempDir(), Verb: verb, At: at}
				prepareFor(t, c)
				op, crashed := crash(t, c)
				if !crashed {
					t.Logf("%s: %d cut points, each followed by a full turn of somebody else", verb, at-1)
					return
				}
				if err := nextTurn(c); err != nil {
					t.Errorf("%s killed before operation %d, %s: %v", verb, at, op, err)
				}
			}
		})
	}
}

// prepareFor leaves what the verb needs: a dead holder to reclaim, or its remains
// to collect.
func prepareFor(t *testing.T, c *crasher) {
	t.Helper()
	switch c.Verb {
	case "reclaim", "collect", "break":
		if _, crashed := crash(t, &crasher{Dir: c.Dir, Verb: "release", At: 1}); !crashed {
			t.Fatal("the holder did not crash")
		}
	}
	if c.Verb == "collect" {
		// A reclaimer that died right after its retirement leaves a tombstone
		// with a claim in it, one that died earlier a claim in flight.
		for _, at := range []int{40, 60} {
			crash(t, &crasher{Dir: c.Dir, Verb: "reclaim", At: at})
		}
	}
}

func crash(t *testing.T, c *crasher) (op string, crashed bool) {
	t.Helper()
	cmd := start(t, crasherVariable, c)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return strings.TrimSpace(stdout.String()), true
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", c.Verb, err, stderr.String())
	}
	return "", false
}

// nextTurn is somebody else's full turn on what a crash left.
func nextTurn(c *crasher) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	lock := c.lock()
	out := filepath.Join(c.Dir, "out", "tool")
	_, err := lock.Do(ctx, genlock.Artifact{Path: out},
		func(_ context.Context, w *genlock.Work) error { return os.WriteFile(w.Out, []byte("whole"), 0o666) })
	if err != nil {
		return err
	}
	if data, err := os.ReadFile(out); err != nil || string(data) != "whole" {
		return fmt.Errorf("the artifact reads %q, %v", data, err)
	}
	lease, err := lock.TryAcquire(ctx)
	if err != nil {
		return err
	}
	if err := lease.Release(); err != nil {
		return err
	}
	return leftovers(lock)
}
