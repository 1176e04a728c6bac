//go:build unix

package genlock_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// TestReleasedLease: a lease that was released neither stages nor publishes nor notes
// anything, also when its directory is that of the next generation by now, or the
// number of its descriptor that of another directory.
func TestReleasedLease(t *testing.T) {
	for name, turns := range map[string]int{"recycled": 3, "deleted": 1} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
			var old *genlock.Lease
			for range turns {
				old = acquire(t, lock)
				if err := old.Release(); err != nil {
					t.Fatal(err)
				}
			}
			if turns == 1 {
				genlock.CloseIdle()
			}
			now := acquire(t, lock)
			a := genlock.Artifact{Path: filepath.Join(dir, "tool")}
			if out, err := old.Stage(a); !errors.Is(err, genlock.ErrReleased) {
				t.Errorf("it stages at %q, %v", out, err)
			}
			if err := old.Publish(t.Context(), a); !errors.Is(err, genlock.ErrReleased) {
				t.Errorf("it publishes: %v", err)
			}
			if err := old.Failed(1, "late"); !errors.Is(err, genlock.ErrLost) {
				t.Errorf("it notes a failure: %v", err)
			}
			if err := now.Release(); err != nil {
				t.Error(err)
			}
			if err := leftovers(lock); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStageAcrossRelease: who is about to stage while the lease is released, and the
// lock taken anew, stages nothing.
func TestStageAcrossRelease(t *testing.T) {
	dir := t.TempDir()
	world := *env.From(context.Background())
	armed, entered, goOn := false, make(chan struct{}), make(chan struct{})
	world.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if armed && op.Verb == faultfs.Mkdir && strings.Contains(op.Path, "stage-") {
			armed = false
			close(entered)
			<-goOn
		}
		return nil
	}})
	ctx := env.With(context.Background(), world.Keeping())
	defer world.CloseKept()
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	take := func() *genlock.Lease {
		lease, err := lock.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return lease
	}
	take().Release()
	take().Release()
	old := take()
	armed = true
	staged := make(chan error)
	go func() {
		_, err := old.Stage(genlock.Artifact{Path: filepath.Join(dir, "tool")})
		staged <- err
	}()
	<-entered
	if err := old.Release(); err != nil {
		t.Fatal(err)
	}
	now := take()
	close(goOn)
	if err := <-staged; !errors.Is(err, genlock.ErrLost) {
		t.Errorf("it stages: %v", err)
	}
	if err := now.Release(); err != nil {
		t.Error(err)
	}
}

// TestCheckWhileReleased: being released by another goroutine is no loss.
func TestCheckWhileReleased(t *testing.T) {
	lock := genlock.New(filepath.Join(fastDir(t), "k.lock"), nil)
	for range 500 {
		lease := acquire(t, lock)
		got := make(chan error)
		go func() {
			for {
				if err := lease.Check(); err != nil {
					got <- err
					return
				}
			}
		}()
		if err := lease.Release(); err != nil {
			t.Fatal(err)
		}
		if err := <-got; !errors.Is(err, genlock.ErrReleased) {
			t.Fatalf("a released lease is told %v", err)
		}
	}
}

// TestLookWhileRecycled: who opened a generation reads it when it is written over and
// not published yet. Nobody holds that.
func TestLookWhileRecycled(t *testing.T) {
	dir := t.TempDir()
	builder, looker := *env.From(context.Background()), *env.From(context.Background())
	opened, rewritten := make(chan struct{}), make(chan struct{})
	building, looking := false, true
	looked := make(chan *observer.Observation)
	builder.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if building && op.Verb == faultfs.Rename && filepath.Base(op.To) == protocol.CurrentName {
			building = false
			close(rewritten)
			if seen := <-looked; seen.State != observer.Free {
				t.Errorf("it is %s, by generation %s", seen.State, seen.Generation)
			}
		}
		return nil
	}})
	looker.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if looking && op.Verb == faultfs.Open && filepath.Base(op.Path) == protocol.GenerationName {
			looking = false
			close(opened)
			<-rewritten
		}
		return nil
	}})
	ctx := env.With(context.Background(), builder.Keeping())
	defer builder.CloseKept()
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	var lease *genlock.Lease
	for range 3 {
		if lease != nil {
			lease.Release()
		}
		var err error
		if lease, err = lock.Acquire(ctx); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		seen, err := lock.Status(env.With(context.Background(), &looker))
		if err != nil {
			t.Error(err)
		}
		looked <- seen
	}()
	<-opened
	building = true
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	next, err := lock.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Release(); err != nil {
		t.Error(err)
	}
}

// TestRecycledGroup: what is recycled belongs to whom the root belongs to now.
func TestRecycledGroup(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	root := lock.Path() + protocol.RootSuffix
	if err := acquire(t, lock).Release(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o775|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := acquire(t, lock).Release(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(root, -1, 4242); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o775|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	lease := acquire(t, lock)
	at, err := vfs.OS().Lstat(filepath.Join(root, protocol.CurrentName))
	if err != nil {
		t.Fatal(err)
	}
	if at.GID != 4242 {
		t.Errorf("it belongs to group %d", at.GID)
	}
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
}

// timeless is the real clock, by which nothing that is kept gets too old.
type timeless struct{ env.Clock }

// TestWhatIsRecycled: plain turns in quick succession leave a directory to the next one,
// and those after which it may be of no use leave none.
func TestWhatIsRecycled(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		options genlock.Options
		turns   int
		work    func(*genlock.Lease) error
		want    int
	}{
		"one turn":       {turns: 1},
		"several turns":  {turns: 3, want: 1},
		"another format": {turns: 3, options: genlock.Options{Format: protocol.TTSC}},
		"staged": {turns: 3, work: func(l *genlock.Lease) error {
			_, err := l.Stage(genlock.Artifact{Path: filepath.Join(dir, "tool")})
			return err
		}},
		"a command": {turns: 3, work: func(l *genlock.Lease) error { return l.Run(exec.Command("true")) }},
		"a note":    {turns: 3, work: func(l *genlock.Lease) error { return l.Failed(1, "it failed") }},
	} {
		t.Run(name, func(t *testing.T) {
			world := *env.From(context.Background())
			world.Clock = timeless{world.Clock}
			ctx := env.With(context.Background(), world.Keeping())
			defer world.CloseKept()
			lock := genlock.New(filepath.Join(t.TempDir(), "k.lock"), &c.options)
			for range c.turns {
				lease, err := lock.TryAcquire(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if c.work != nil {
					err = c.work(lease)
				}
				if err := errors.Join(err, lease.Release()); err != nil {
					t.Fatal(err)
				}
			}
			left, err := filepath.Glob(filepath.Join(lock.Path()+protocol.RootSuffix, protocol.CandidateName("*")))
			if err != nil || len(left) != c.want {
				t.Errorf("it leaves %q (%v), want %d", left, err, c.want)
			}
		})
	}
}
