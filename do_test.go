package genlock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// builder writes content and counts how often and how many at a time it runs.
type builder struct {
	runs, inside, most atomic.Int32
	fail               error
	hold               chan struct{} // if not nil, wait for it
}

func (b *builder) build(_ context.Context, w *genlock.Work) error {
	b.runs.Add(1)
	if n := b.inside.Add(1); n > b.most.Load() {
		b.most.Store(n)
	}
	defer b.inside.Add(-1)
	if b.hold != nil {
		<-b.hold
	}
	if b.fail != nil {
		return b.fail
	}
	return os.WriteFile(w.Out, []byte("content"), 0o666)
}

// TestDoBuildsOnce: of many callers one builds, and all others adopt.
func TestDoBuildsOnce(t *testing.T) {
	dir := t.TempDir()
	a := genlock.Artifact{Path: filepath.Join(dir, "out", "tool")}
	var b builder
	var built, adopted atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			res, err := genlock.New(filepath.Join(dir, "k.lock"), nil).Do(t.Context(), a, b.build)
			switch {
			case err != nil:
				t.Error(err)
			case res.How == genlock.Built:
				built.Add(1)
			case res.How == genlock.Adopted:
				adopted.Add(1)
			}
		})
	}
	wg.Wait()
	if b.runs.Load() != 1 || built.Load() != 1 || adopted.Load() != 15 {
		t.Errorf("%d builds, %d report built, %d adopted; want 1, 1, 15", b.runs.Load(), built.Load(), adopted.Load())
	}
	if err := leftovers(genlock.New(filepath.Join(dir, "k.lock"), nil)); err != nil {
		t.Error(err)
	}
}

// TestDoFailureReachesWaiters: each caller learns what the one before reported, then
// tries by itself, never two at a time, and gets its own error.
func TestDoFailureReachesWaiters(t *testing.T) {
	dir := t.TempDir()
	b := builder{fail: errors.New("no such header"), hold: make(chan struct{})}
	var told atomic.Int32
	waiting := make(chan struct{}, 100)
	options := &genlock.Options{OnEvent: func(e genlock.Event) {
		switch e.Kind {
		case genlock.EventFailed:
			told.Add(1)
			if e.Last.Outcome != protocol.OutcomeFailed || e.Last.Message != "no such header" {
				t.Errorf("told of %+v", e.Last)
			}
		case genlock.EventAcquired, genlock.EventWaiting:
			waiting <- struct{}{}
		}
	}}
	const callers = 4
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			_, err := genlock.New(filepath.Join(dir, "k.lock"), options).Do(t.Context(),
				genlock.Artifact{Path: filepath.Join(dir, "tool")}, b.build)
			var failed *genlock.BuildFailedError
			if !errors.As(err, &failed) || !errors.Is(err, b.fail) {
				t.Errorf("error %v, want the build's own", err)
			}
		})
	}
	for range callers {
		<-waiting
	}
	close(b.hold)
	wg.Wait()
	if b.runs.Load() != callers || b.most.Load() != 1 {
		t.Errorf("%d builds, %d at a time; want %d, 1", b.runs.Load(), b.most.Load(), callers)
	}
	if told.Load() != callers-1 {
		t.Errorf("%d were told of the failure before theirs, want %d", told.Load(), callers-1)
	}
}

// TestDoVerify: what does not verify is built anew and replaced; what does is adopted.
func TestDoVerify(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tool")
	if err := os.WriteFile(path, []byte("rotten"), 0o666); err != nil {
		t.Fatal(err)
	}
	a := genlock.Artifact{Path: path, Verify: func(_ context.Context, path string) error {
		if data, err := os.ReadFile(path); err != nil || string(data) != "content" {
			return errors.New("not what it should be")
		}
		return nil
	}}
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	var b builder
	for i, want := range []genlock.How{genlock.Built, genlock.Adopted} {
		res, err := lock.Do(t.Context(), a, b.build)
		if err != nil || res.How != want {
			t.Errorf("call %d: %v, %v; want %v", i+1, res.How, err, want)
		}
	}
}

// TestDoVerifyFresh: what was built and does not verify is not published, whether it was
// built in private or in place, and those who wait learn why.
func TestDoVerifyFresh(t *testing.T) {
	for _, inPlace := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "tool")
		var asked []string
		a := genlock.Artifact{Path: path, InPlace: inPlace, Verify: func(_ context.Context, at string) error {
			asked = append(asked, at)
			return errors.New("not what it should be")
		}}
		lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
		res, err := lock.Do(t.Context(), a, func(_ context.Context, w *genlock.Work) error {
			if inPlace {
				return os.WriteFile(path, []byte("bad"), 0o666)
			}
			return os.WriteFile(w.Out, []byte("bad"), 0o666)
		})
		if !errors.Is(err, genlock.ErrUnverified) || !strings.Contains(err.Error(), "not what it should be") || res.How != genlock.Unknown {
			t.Errorf("in place %v: %v, %v; want %v", inPlace, res.How, err, genlock.ErrUnverified)
		}
		if _, err := os.Stat(path); !inPlace && err == nil {
			t.Error("it was published")
		}
		if len(asked) != 1 || filepath.Base(asked[0]) != "tool" || (asked[0] == path) != inPlace {
			t.Errorf("in place %v: asked about %q", inPlace, asked)
		}
		seen, err := lock.Status(t.Context())
		if err != nil || seen.State != "free" || seen.Last == nil || !strings.Contains(seen.Last.Message, "fails verification") {
			t.Errorf("in place %v: %+v, %v", inPlace, seen, err)
		}
	}
}

// TestDoWithoutArtifact: a build that ends well without making anything fails.
func TestDoWithoutArtifact(t *testing.T) {
	dir := t.TempDir()
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	res, err := lock.Do(t.Context(), genlock.Artifact{Path: filepath.Join(dir, "tool")},
		func(context.Context, *genlock.Work) error { return nil })
	if !errors.Is(err, genlock.ErrNoArtifact) || res.How != genlock.Unknown {
		t.Errorf("%v, %v; want %v", res.How, err, genlock.ErrNoArtifact)
	}
}

// TestDoRefusesPaths: an artifact that is the lock, or inside it, changes nothing.
func TestDoRefusesPaths(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "k.lock")
	lock := genlock.New(path, nil)
	for _, artifact := range []string{"", path, path + ".v3", path + ".v3/current/tool", path + "/tool"} {
		var b builder
		if _, err := lock.Do(t.Context(), genlock.Artifact{Path: artifact}, b.build); !errors.Is(err, genlock.ErrUsage) {
			t.Errorf("artifact %q: %v, want %v", artifact, err, genlock.ErrUsage)
		}
		if b.runs.Load() > 0 {
			t.Errorf("artifact %q was built", artifact)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left over: %v, %v", entries, err)
	}
}

// TestDoAdoptsWhileHeld: an artifact that is there needs no lock, whoever holds it.
func TestDoAdoptsWhileHeld(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tool")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	lease, err := genlock.New(filepath.Join(dir, "k.lock"), nil).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var b builder
	res, err := genlock.New(filepath.Join(dir, "k.lock"), nil).Do(ctx, genlock.Artifact{Path: path}, b.build)
	if err != nil || res.How != genlock.Adopted {
		t.Errorf("%v, %v; want adopted", res.How, err)
	}
}
