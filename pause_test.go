//go:build unix

package genlock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// pausable is the outside world of somebody who stops right before file operation
// number at, counted from when arm is called, and goes on when told.
type pausable struct {
	ctx     context.Context
	armed   bool
	n, at   int
	matches func(faultfs.Op) bool // if not nil, instead of at
	op      faultfs.Op
	stopped chan struct{}
	proceed chan struct{}
}

func newPausable(at int) *pausable {
	p := &pausable{at: at, stopped: make(chan struct{}), proceed: make(chan struct{})}
	e := *env.From(context.Background()) // the leases stay those of this process
	e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if !p.armed {
			return nil
		}
		p.n++
		if p.matches == nil && p.n == p.at || p.matches != nil && p.matches(op) {
			p.matches = nil
			p.op = op
			close(p.stopped)
			<-p.proceed
		}
		return nil
	}})
	p.ctx = env.With(context.Background(), &e)
	return p
}

// TestSwappedByHand: between our last look and our rename somebody moves our
// generation away by hand, and another one is published. What was moved by
// mistake is put back, and its holder never notices (rule 2).
func TestSwappedByHand(t *testing.T) {
	dir := t.TempDir()
	p := newPausable(0)
	p.matches = func(op faultfs.Op) bool {
		return op.Verb == faultfs.Rename && filepath.Base(op.Path) == protocol.CurrentName
	}
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	lease, err := lock.TryAcquire(p.ctx)
	if err != nil {
		t.Fatal(err)
	}
	p.armed = true
	done := make(chan error)
	go func() { done <- lease.Release() }()
	<-p.stopped
	current := filepath.Join(lock.Path()+protocol.RootSuffix, protocol.CurrentName)
	if err := os.Rename(current, filepath.Join(dir, "aside")); err != nil {
		t.Fatal(err)
	}
	successor := acquireElsewhere(t, lock)
	close(p.proceed)
	if err := <-done; !errors.Is(err, genlock.ErrLost) {
		t.Errorf("the late release: %v, want %v", err, genlock.ErrLost)
	}
	if err := successor.Check(); err != nil {
		t.Errorf("the successor: %v", err)
	}
	if err := successor.Release(); err != nil {
		t.Error(err)
	}
}

// acquireElsewhere takes the lock past the line of this process, as another one does.
func acquireElsewhere(t *testing.T, lock *genlock.Lock) *genlock.Lease {
	t.Helper()
	e := *env.From(context.Background())
	lease, err := lock.TryAcquire(env.With(context.Background(), &e))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lease.Release() })
	return lease
}

// TestPausedAtEveryStep stops a process before each single file operation of every
// verb, lets somebody else take the lock and build meanwhile (an operator breaks
// what is in the way), and lets the stopped one go on: it changes nothing of the
// successor, neither its lock nor its artifact.
func TestPausedAtEveryStep(t *testing.T) {
	for _, verb := range []string{"acquire", "release", "reclaim", "do", "fail", "collect"} {
		t.Run(verb, func(t *testing.T) {
			for at := 1; ; at++ {
				c := &crasher{Dir: t.TempDir(), Verb: verb}
				prepareFor(t, c)
				p := newPausable(at)
				done := make(chan error, 1)
				go func() { done <- c.perform(p.ctx, func() { p.armed = true }) }()
				select {
				case err := <-done:
					t.Logf("%s: stopped at %d steps (%v)", verb, at-1, err)
					return
				case <-p.stopped:
				}
				if err := overtake(c, p, done); err != nil {
					t.Errorf("%s stopped before operation %d, %s: %v", verb, at, p.op, err)
				}
			}
		})
	}
}

// overtake takes the lock while the other one is stopped, builds, and looks
// whether its lock and its artifact are untouched when the other one has ended.
func overtake(c *crasher, p *pausable, done chan error) error {
	ctx := context.Background()
	lock := c.lock()
	lease, err := breakThrough(ctx, lock)
	if err != nil {
		close(p.proceed)
		return errors.Join(fmt.Errorf("overtaking: %w", err), <-done)
	}
	out := filepath.Join(c.Dir, "out", "tool")
	built := publishAs(ctx, lease, out, "successor")
	close(p.proceed)
	late := <-done
	var held *genlock.HeldError
	switch {
	case late == nil, errors.Is(late, genlock.ErrLost), errors.As(late, &held), errors.Is(late, genlock.ErrExists):
	default:
		err = fmt.Errorf("the late one reports: %w", late)
	}
	if cerr := lease.Check(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("the successor's lock: %w", cerr))
	}
	if rerr := lease.Release(); rerr != nil {
		err = errors.Join(err, fmt.Errorf("the successor's release: %w", rerr))
	}
	if built == nil {
		if data, rerr := os.ReadFile(out); rerr != nil || string(data) != "successor" {
			err = errors.Join(err, fmt.Errorf("the successor's artifact reads %q, %v", data, rerr))
		}
	}
	return err
}

// publishAs puts an artifact with the given content in place unless the late one
// was faster before it was stopped.
func publishAs(ctx context.Context, lease *genlock.Lease, out, content string) error {
	a := genlock.Artifact{Path: out, Replace: true}
	path, err := lease.Stage(a)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o666)
	}
	if err == nil {
		err = lease.Publish(ctx, a)
	}
	return err
}

// breakThrough takes the lock with an operator's help.
func breakThrough(ctx context.Context, lock *genlock.Lock) (*genlock.Lease, error) {
	for {
		lease, err := lock.TryAcquire(ctx)
		var held *genlock.HeldError
		if !errors.As(err, &held) {
			return lease, err
		}
		if err := breakGeneration(ctx, lock, held.Seen.Generation); err != nil && !errors.Is(err, fence.ErrMoved) {
			return nil, err
		}
	}
}

func breakGeneration(ctx context.Context, lock *genlock.Lock, id protocol.ID) error {
	root, err := fence.Open(ctx, lock.Path(), protocol.Genlock)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := fence.Claim(ctx, root, id)
	if err != nil {
		return err
	}
	return errors.Join(retire.Break(ctx, f, retire.Word{By: "test", Reason: "overtaking"}), f.Withdraw())
}
