package artifact

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"genlock.dev/genlock/protocol"
)

// at returns a hook that runs do before the k-th operation, once.
func at(k int, do func()) func(op, path string) error {
	n := 0
	return func(string, string) error {
		if n++; n == k {
			do()
		}
		return nil
	}
}

// count returns how many operations f makes on x's file system.
func (x *tenure) count(f func() error) int {
	x.w.t.Helper()
	n := 0
	x.fs.before = func(string, string) error { n++; return nil }
	x.w.ok(f())
	x.fs.before = nil
	return n
}

// Protocol rule 14: a holder stopped before any operation of Publish, and
// retired meanwhile, does not change what its successor published.
func TestStoppedPublisher(t *testing.T) {
	variants(t, func(t *testing.T, w0 *world) {
		w0.replace = true
		w0.make(w0.path, "old")
		first := w0.acquire()
		first.build("new")
		n := first.count(first.publish)
		refused := 0
		for k := 1; k <= n; k++ {
			w := w0.fresh()
			w.make(w.path, "old")
			a := w.acquire()
			a.build("late")
			var b *tenure
			a.fs.before = at(k, func() {
				// 1. a stops before operation k
				// 2. a is retired
				a.retire()
				// 3. b acquires, sweeps, builds, publishes
				b = w.acquire()
				w.ok(b.Sweep())
				b.build("successor")
				w.ok(b.publish())
			})
			// 4. a goes on
			err := a.publish()
			if err != nil {
				w.wantErr(err, ErrStageGone)
				refused++
			}
			if b == nil {
				t.Fatalf("operation %d of %d did not happen", k, n)
			}
			w.wantVersion("successor")
			w.ok(b.Sweep())
			w.wantAlone()
		}
		if refused == 0 {
			t.Error("no late publication was refused")
		}
	})
}

// As above, but the successor is in the middle of its own publication when the
// late one goes on, whether it sweeps or publishes: the successor's turn must
// not be lost either.
func TestStoppedWhileSuccessorPublishes(t *testing.T) {
	verbs := map[string]func(*tenure) error{
		"sweep":   func(x *tenure) error { return x.Sweep() },
		"publish": func(x *tenure) error { return x.publish() },
	}
	variants(t, func(t *testing.T, w0 *world) {
		w0.replace = true
		for name, verb := range verbs {
			// leave makes what a's sweep is to find.
			leave := func(w *world) *tenure {
				w.make(w.path, "old")
				w.mkdir(w.path + ".genlock-0123456789abcdef0123456789abcdef/tool")
				a := w.acquire()
				a.build("late")
				return a
			}
			x := leave(w0.fresh())
			n := x.count(func() error { return verb(x) })
			for k := 1; k <= n; k++ {
				w := w0.fresh()
				a := leave(w)
				paused, resume, done := make(chan bool), make(chan bool), make(chan error, 1)
				a.fs.before = at(k, func() {
					// 1. a stops before operation k and is retired
					a.retire()
					// 2. b acquires, sweeps, builds, and stops before its last rename
					b := w.acquire()
					w.ok(b.Sweep())
					b.build("successor")
					stopped := false
					b.fs.before = func(op, path string) error {
						if op == "rename" && path == w.path && (!w.apart || w.beside(b)) && !stopped {
							stopped = true
							paused <- true
							<-resume
						}
						return nil
					}
					go func() { done <- b.publish() }()
					<-paused
				})
				// 3. a goes on to its end
				if err := verb(a); err != nil && !errors.Is(err, ErrStageGone) {
					t.Fatalf("%s stopped at %d of %d: %v", name, k, n, err)
				}
				// 4. b goes on
				close(resume)
				if err := <-done; err != nil {
					t.Fatalf("%s stopped at %d of %d cost the successor its turn: %v", name, k, n, err)
				}
				w.wantVersion("successor")
			}
		}
	})
}

// beside tells whether x has its copy beside the artifact.
func (w *world) beside(x *tenure) bool {
	staged := protocol.BesideName(w.path, x.Generation)
	_, err := os.Lstat(filepath.Join(staged, filepath.Base(w.path)))
	return err == nil
}

// Retired while it makes its copy, a holder does not publish even if nobody
// came after it, and it copies nothing when it lost before it began.
func TestRetiredCopier(t *testing.T) {
	for _, stop := range []string{"mkdir", "write"} {
		w := newWorld(t, t.TempDir())
		w.apart = true
		a := w.acquire()
		a.build("late")
		writes := 0
		a.fs.before = func(op, path string) error {
			if op == "write" {
				writes++
			}
			if op == stop {
				a.retire()
			}
			return nil
		}
		w.wantErr(a.publish(), ErrStageGone)
		w.wantVersion("")
		w.wantAlone()
		if stop == "mkdir" && writes > 0 {
			t.Error("it copied although it knew")
		}
	}
}

// A context that ends at any operation either refuses the publication or comes
// too late for it.
func TestCancelledPublisher(t *testing.T) {
	variants(t, func(t *testing.T, w0 *world) {
		first := w0.acquire()
		first.build("new")
		n := first.count(first.publish)
		cause := errors.New("lock lost")
		for k := 0; k <= n; k++ {
			w := w0.fresh()
			a := w.acquire()
			a.build("new")
			ctx, cancel := context.WithCancelCause(context.Background())
			a.fs.before = at(k, func() { cancel(cause) })
			if k == 0 {
				cancel(cause)
			}
			if err := a.Publish(ctx); err != nil {
				w.wantErr(err, cause)
				w.wantVersion("")
			} else {
				w.wantVersion("new")
				if k == 0 {
					t.Error("published although the context had ended")
				}
			}
			w.wantAlone()
			cancel(nil)
		}
	})
}
