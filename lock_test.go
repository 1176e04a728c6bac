package genlock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

func acquire(t *testing.T, lock *genlock.Lock) *genlock.Lease {
	t.Helper()
	lease, err := lock.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lease.Release() })
	return lease
}

// TestManyTurns: thousands of turns of one process leave nothing behind, and its
// memory stays flat.
func TestManyTurns(t *testing.T) {
	lock := genlock.New(filepath.Join(fastDir(t), "k.lock"), nil)
	turns := func(n int) {
		for range n {
			lease, err := lock.TryAcquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := lease.Release(); err != nil {
				t.Fatal(err)
			}
		}
	}
	turns(1000)
	before := heap()
	turns(9000)
	if after := heap(); after > before+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
	genlock.CloseIdle()
	root := lock.Path() + protocol.RootSuffix
	for dir, want := range map[string]string{root: "protocol-v3 retired", filepath.Join(root, "retired"): ""} {
		if got := list(t, dir); got != want {
			t.Errorf("%s holds %q, want %q", dir, got, want)
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// fastDir is a directory in memory where there is one: ten thousand turns are for
// counting what is left, not for the disk.
func fastDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "genlock-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func list(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != protocol.QueueName {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

// TestHeldError names the holder and what to do, whoever holds the lock.
func TestHeldError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.lock")
	options := &genlock.Options{About: protocol.About{Label: "nightly build"}}
	lease := acquire(t, genlock.New(path, options))
	_, err := genlock.New(path, nil).TryAcquire(t.Context())
	var held *genlock.HeldError
	if !errors.As(err, &held) || !errors.Is(err, genlock.ErrHeld) {
		t.Fatalf("error %v, want a *HeldError", err)
	}
	for _, want := range []string{path, fmt.Sprint("pid ", os.Getpid()), "nightly build", "alive"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if held.Seen.Generation != lease.Generation() {
		t.Errorf("generation %s, want %s", held.Seen.Generation, lease.Generation())
	}
}

// TestWaitEnds: an expired wait is both a deadline and a held lock; a cancelled one
// returns its cause at once. Neither takes the lock or leaves anything.
func TestWaitEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.lock")
	acquire(t, genlock.New(path, nil))
	before := list(t, path+protocol.RootSuffix)
	for name, options := range map[string]*genlock.Options{
		"total":      {Wait: 20 * time.Millisecond},
		"per holder": {PerHolder: 20 * time.Millisecond},
	} {
		_, err := genlock.New(path, options).Acquire(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, genlock.ErrHeld) {
			t.Errorf("%s: error %v, want a deadline and a held lock", name, err)
		}
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	waits := make(chan struct{}, 1)
	lock := genlock.New(path, &genlock.Options{OnEvent: func(e genlock.Event) {
		select {
		case waits <- struct{}{}:
		default:
		}
	}})
	done := make(chan error)
	go func() {
		_, err := lock.Acquire(ctx)
		done <- err
	}()
	// The wait happens in memory, behind the lease above.
	cancel(cause)
	if err := <-done; !errors.Is(err, cause) || !errors.Is(err, genlock.ErrHeld) {
		t.Errorf("error %v, want the cause and a held lock", err)
	}
	if after := list(t, path+protocol.RootSuffix); after != before {
		t.Errorf("waiting left %q, before it was %q", after, before)
	}
}

// TestLineIsFair: goroutines of one process get the lock in the order they came.
func TestLineIsFair(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "k.lock")
	if err := os.Symlink(dir, filepath.Join(dir, "other")); err != nil {
		t.Skip("no links here: ", err)
	}
	first := acquire(t, genlock.New(path, nil))
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	for i := range 5 {
		spelled := path
		if i%2 == 1 {
			spelled = filepath.Join(dir, "other", "k.lock") // the same lock
		}
		wg.Go(func() {
			lease, err := genlock.New(spelled, nil).Acquire(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			lease.Release()
		})
		genlock.WaitForLine(t, path, i+2)
	}
	first.Release()
	wg.Wait()
	if got := fmt.Sprint(order); got != "[0 1 2 3 4]" {
		t.Errorf("order %s", got)
	}
}

// TestNested: a lock that the same call chain holds fails at once.
func TestNested(t *testing.T) {
	dir := t.TempDir()
	outer, inner := genlock.New(filepath.Join(dir, "outer.lock"), nil), genlock.New(filepath.Join(dir, "inner.lock"), nil)
	err := outer.With(t.Context(), func(ctx context.Context, _ *genlock.Lease) error {
		return inner.With(ctx, func(ctx context.Context, _ *genlock.Lease) error {
			_, err := outer.Acquire(ctx)
			return err
		})
	})
	var nested *genlock.NestedError
	if !errors.As(err, &nested) || !errors.Is(err, genlock.ErrNested) {
		t.Fatalf("error %v, want a *NestedError", err)
	}
	if got := strings.Join(nested.Chain, " "); got != outer.Path()+" "+inner.Path() {
		t.Errorf("chain %s", got)
	}
}

// TestAcquireAll takes all or none, and the same lock only once.
func TestAcquireAll(t *testing.T) {
	dir := t.TempDir()
	lock := func(name string) *genlock.Lock {
		return genlock.New(filepath.Join(dir, name), &genlock.Options{Wait: 10 * time.Millisecond})
	}
	leases, err := genlock.AcquireAll(t.Context(), lock("b"), lock("a"))
	if err != nil {
		t.Fatal(err)
	}
	if leases[0].Lock().Path() != lock("b").Path() {
		t.Error("leases are not in the order of the arguments")
	}
	if _, err := genlock.AcquireAll(t.Context(), lock("c"), lock("b")); !errors.Is(err, genlock.ErrHeld) {
		t.Errorf("error %v, want held", err)
	}
	if seen, err := lock("c").Status(t.Context()); err != nil || seen.State != observer.Free {
		t.Errorf("c is %s, %v; want free", seen.State, err)
	}
	for _, l := range leases {
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	}
	if _, err := genlock.AcquireAll(t.Context(), lock("a"), lock("./a")); !errors.Is(err, genlock.ErrUsage) {
		t.Errorf("the same lock twice: %v, want %v", err, genlock.ErrUsage)
	}
}

// TestStatusCreatesNothing, not even for a thousand keys nobody ever used.
func TestStatusCreatesNothing(t *testing.T) {
	dir := t.TempDir()
	for i := range 1000 {
		seen, err := genlock.New(genlock.Path(dir, fmt.Sprint(i)), nil).Status(t.Context())
		if err != nil || seen.State != observer.Free {
			t.Fatalf("%s, %v; want free", seen.State, err)
		}
	}
	if got := list(t, dir); got != "" {
		t.Errorf("created %s", got)
	}
}

// TestPath: any key gets a name of its own, the same in every process, that fits and
// that no file system folds into another.
func TestPath(t *testing.T) {
	keys := []string{"", "a", "A", "\u00e9", "e\u0301", "a/b", "a\\b", "..", ".", "CON", "x.", "x ", "a\x00b", "a\nb", "🦊",
		strings.Repeat("k", 143), strings.Repeat("k", 255), strings.Repeat("k", 4096)}
	seen := map[string]string{}
	for _, key := range keys {
		path := genlock.Path("cache", key)
		base := filepath.Base(path)
		if filepath.Dir(path) != "cache" || len(base) > 143-len(".v3.candidate-")-32 {
			t.Errorf("key %q: path %q", key, path)
		}
		if other, taken := seen[strings.ToLower(base)]; taken {
			t.Errorf("keys %q and %q share %q", key, other, base)
		}
		seen[strings.ToLower(base)] = key
		if err := protocol.CheckLockPath(path); err != nil {
			t.Errorf("key %q: %v", key, err)
		}
	}
	if got, want := genlock.Path("c", "Go/1.26"), "c/go-1-26-"; !strings.HasPrefix(filepath.ToSlash(got), want) {
		t.Errorf("%s does not begin with %s", got, want)
	}
}

// TestBadLockPaths: what cannot name a lock is refused, and nothing is created.
func TestBadLockPaths(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"", dir + "/", dir + "/..", dir + "/k\x00", dir + "/k.v3",
		filepath.Join(dir, strings.Repeat("k", 201)), filepath.Join(dir, strings.Repeat("k", 209)),
		filepath.Join(dir, strings.Repeat("k", 242)), filepath.Join(dir, strings.Repeat("k", 255))} {
		if _, err := genlock.New(path, nil).TryAcquire(t.Context()); !errors.Is(err, genlock.ErrUsage) {
			t.Errorf("path %q: %v, want %v", path, err, genlock.ErrUsage)
		}
	}
	for _, name := range []string{"k", strings.Repeat("k", 143), strings.Repeat("k", 200), "a b", "a\nb", "ü"} {
		lease, err := genlock.New(filepath.Join(dir, name), nil).TryAcquire(t.Context())
		if err != nil {
			t.Errorf("name %q: %v", name, err)
			continue
		}
		if err := lease.Release(); err != nil {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

// TestReleaseTwice: Release is idempotent, and nothing works after it.
func TestReleaseTwice(t *testing.T) {
	lease := acquire(t, genlock.New(filepath.Join(t.TempDir(), "k.lock"), nil))
	for range 2 {
		if err := lease.Release(); err != nil {
			t.Error(err)
		}
	}
	if err := lease.Check(); !errors.Is(err, genlock.ErrReleased) {
		t.Errorf("check: %v, want %v", err, genlock.ErrReleased)
	}
}

// TestDeletedByHand: when somebody deletes the lock's directory, the holder learns
// it before it publishes, and others just go on (rules 2 and 10).
func TestDeletedByHand(t *testing.T) {
	dir := t.TempDir()
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	lease := acquire(t, lock)
	a := genlock.Artifact{Path: filepath.Join(dir, "tool")}
	if _, err := lease.Stage(a); err != nil {
		t.Fatal(err)
	}
	ctx := lease.Context(t.Context())
	if err := os.RemoveAll(lock.Path() + protocol.RootSuffix); err != nil {
		t.Fatal(err)
	}
	if err := lease.Publish(t.Context(), a); !errors.Is(err, genlock.ErrLost) {
		t.Errorf("publish: %v, want %v", err, genlock.ErrLost)
	}
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, genlock.ErrLost) {
		t.Errorf("cause: %v, want %v", cause, genlock.ErrLost)
	}
	if err := lease.Release(); !errors.Is(err, genlock.ErrLost) {
		t.Errorf("release: %v, want %v", err, genlock.ErrLost)
	} else if !errors.Is(err, genlock.ErrRootMoved) {
		t.Errorf("release: %v, and nobody retired it: want %v", err, genlock.ErrRootMoved)
	}
	if err := acquire(t, lock).Release(); err != nil {
		t.Error(err)
	}
}
