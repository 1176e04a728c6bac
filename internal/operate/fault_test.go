//go:build unix

package operate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
)

// later is the real world a day later, so that litter is old.
type later struct{ env.Clock }

func (l later) Now() time.Time { return l.Clock.Now().Add(24 * time.Hour) }

// ward is a directory with a held lock, an old lock, and what crashes leave.
type ward struct {
	dir   string
	lease *genlock.Lease
	told  []string // what a verb told that it could not do, and what it saw
	seen  int
}

func newWard(t *testing.T) *ward {
	t.Helper()
	w := &ward{dir: t.TempDir()}
	var err error
	if w.lease, err = genlock.New(filepath.Join(w.dir, "held.lock"), nil).TryAcquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.lease.Release() })
	for _, dir := range []string{"old.lock", "held.lock.v3/candidate-0123456789abcdef0123456789abcdef",
		"gone.lock.v3.candidate-0123456789abcdef0123456789abcdef/retired"} {
		if err := os.MkdirAll(filepath.Join(w.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	host, _ := os.Hostname()
	record := fmt.Sprintf(`{"hostname":%q,"pid":%d,"startedAt":"2026-01-01T00:00:00Z"}`, host, os.Getpid())
	if err := os.WriteFile(filepath.Join(w.dir, "old.lock", "owner.json"), []byte(record), 0o644); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *ward) problem(path string, err error) {
	if err != nil {
		w.told = append(w.told, path+": "+err.Error())
	}
}

// wardVerbs go over the whole directory. saw is what each has to see without faults.
var wardVerbs = map[string]struct {
	run func(context.Context, *ward) error
	saw int
}{
	"list": {func(ctx context.Context, w *ward) error {
		return operate.List(ctx, operate.Target{Path: w.dir}, func(o *observer.Observation) error {
			w.seen++
			w.told = append(w.told, o.Evidence)
			return nil
		}, w.problem)
	}, 2},
	"doctor": {func(ctx context.Context, w *ward) error {
		n, err := operate.Doctor(ctx, operate.Target{Path: w.dir}, func(f operate.Finding) error {
			w.told = append(w.told, f.What+" "+f.Evidence)
			return nil
		})
		w.seen += n
		return err
	}, 2},
	"prune": {func(ctx context.Context, w *ward) error {
		_, err := operate.Prune(ctx, operate.Target{Path: w.dir}, operate.PruneOptions{Problem: w.problem,
			Removed: func(operate.Removal) error { w.seen++; return nil }, Progress: func(operate.Pruned) {}})
		return err
	}, 2},
	"migrate status": {func(ctx context.Context, w *ward) error {
		set, err := legacy.Parse("mkdir,v2")
		if err != nil {
			return err
		}
		return operate.Migration(ctx, w.dir, set, func(m operate.Migrating) error {
			w.seen++
			w.told = append(w.told, m.Error)
			for _, h := range m.Held {
				w.told = append(w.told, h.Why)
			}
			return nil
		}, func(err error) { w.problem(w.dir, err) })
	}, 1},
}

// operations counts those of a verb.
func operations(t *testing.T, run func(context.Context, *ward) error) (n int) {
	e := *env.From(t.Context())
	e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(faultfs.Op) error { n++; return nil }})
	if err := run(env.With(t.Context(), &e), newWard(t)); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFaults: each file operation of a verb that goes over many locks fails, once or
// from there on. The verb ends, it says so or has seen everything all the same, it
// harms nobody, and without the fault it does its work. Listing directories is the
// system's own here and cannot be made to fail.
func TestFaults(t *testing.T) {
	for name, v := range wardVerbs {
		t.Run(name, func(t *testing.T) {
			ops := operations(t, v.run)
			for k := 1; k <= ops; k++ {
				others := []syscall.Errno{syscall.EACCES, syscall.ENOENT, syscall.ESTALE}
				for i, errno := range []syscall.Errno{syscall.EIO, others[k%len(others)]} {
					lasting := (k/3+i)%2 == 0
					w := newWard(t)
					e := *env.From(t.Context())
					e.Clock = later{e.Clock}
					n, armed := 0, true
					e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(faultfs.Op) error {
						if n++; armed && (n == k || lasting && n > k) {
							return errno
						}
						return nil
					}})
					ctx := env.With(t.Context(), &e)
					err := v.run(ctx, w)
					where := fmt.Sprintf("%v at operation %d, lasting %t", errno, k, lasting)
					told := strings.Contains(strings.Join(w.told, "\n"), errno.Error()) || errors.Is(err, errno)
					gone := errno == syscall.ENOENT || errno == syscall.ESTALE // what vanishes is no news
					if n >= k && !told && !gone && w.seen < v.saw {
						t.Errorf("%s: it saw %d of %d and said nothing of it: %v, %q", where, w.seen, v.saw, err, w.told)
					}
					armed = false
					if err := w.lease.Check(); err != nil {
						t.Fatalf("%s: the holder: %v", where, err)
					}
					if _, err := os.Stat(filepath.Join(w.dir, "old.lock", "owner.json")); err != nil {
						t.Fatalf("%s: the old lock: %v", where, err)
					}
					removed := w.seen
					w.told, w.seen = nil, 0
					err = v.run(ctx, w)
					if name == "prune" {
						w.seen += removed // each thing once
					}
					if err != nil || w.seen != v.saw && !(name == "prune" && gone) {
						t.Fatalf("%s: afterwards it saw %d of %d: %v %q", where, w.seen, v.saw, err, w.told)
					}
					w.lease.Release()
				}
			}
			t.Logf("%d operations", ops)
			if ops < 10 {
				t.Error("that is too few to be true")
			}
		})
	}
}
