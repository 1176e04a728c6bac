package legacy_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

// baked is a lock in an overlay's lower layer: its directory cannot be renamed.
func baked(name string) func(faultfs.Op) error {
	return func(op faultfs.Op) error {
		if op.Verb == faultfs.Rename && op.Path == place(name) {
			return syscall.EXDEV
		}
		return nil
	}
}

// Rule 10: an old lock that cannot be renamed, since it is baked into an image, is
// emptied where it lies when its holder is provably gone, and on an operator's word;
// whoever does it may die at any step.
func TestBakedIntoAnImage(t *testing.T) {
	const mine = protocol.ID("0192f0c1d2e37abc8def0123456789ac")
	each(t, func(t *testing.T, name string) {
		for _, word := range []bool{false, true} {
			for k, ended := 1, false; !ended; k++ {
				w := newWorld(t)
				old := w.hold(name)
				list := all[name]
				if !word {
					old.kill()
				}
				w.pass(11 * time.Second)
				if word {
					list = name // no rule, so nothing is proven
				}
				take := func(p *proc) error {
					if word {
						_, err := legacy.Break(p.ctx, at(mine), name)
						return err
					}
					done, s, err := mustParse(t, list).Clear(p.ctx, at(mine))
					if err == nil && s != nil {
						err = fmt.Errorf("it stands in the way: %+v (%v)", s, done)
					}
					return err
				}
				p := w.proc()
				n := 0
				p.before = func(op faultfs.Op) error {
					if op.Writes() {
						n++
					}
					if n >= k {
						return syscall.EIO // it is dead
					}
					return baked(name)(op)
				}
				err := take(p)
				if ended = n < k; ended && err != nil {
					t.Errorf("word %v: %v\n%s", word, err, w.disk.Dump())
				}
				wantNoLeak(t, p)
				p.kill()
				q := w.proc()
				q.before = baked(name)
				if err := take(q); err != nil {
					if name == "v2" {
						t.Errorf("word %v, k=%d: its tombstone does not tell: %v\n%s", word, k, err, w.disk.Dump())
					}
					// A record that is gone takes the operator who broke it.
					if _, err = legacy.Break(q.ctx, at(mine), name); err != nil {
						t.Errorf("word %v, k=%d: what is left: %v\n%s", word, k, err, w.disk.Dump())
					}
				}
				if got, err := w.proc().program(name).Try(lock); !got || err != nil {
					t.Errorf("word %v, k=%d: the old program gets %v, %v\n%s", word, k, got, err, w.disk.Dump())
				}
			}
		}
	})
}

// A release of v2 that cannot rename empties it, behind a tombstone that keeps a late
// rename of an old program from its successor.
func TestReleaseV2InPlace(t *testing.T) {
	for _, cause := range []error{syscall.EIO, syscall.EXDEV, syscall.EACCES, syscall.EBUSY} {
		w := newWorld(t)
		p := w.proc()
		l, s, err := p.acquire(mustParse(t, "v2"), true, 1)
		if l == nil {
			t.Fatal(s, err)
		}
		g := l.tenure.Generation()
		p.before = func(op faultfs.Op) error {
			if op.Verb == faultfs.Rename && op.Path == place("v2") {
				return cause
			}
			return nil
		}
		if err := l.holding.Release(); err != nil {
			t.Errorf("%v: the release says %v", cause, err)
		}
		if w.exists(place("v2")) || !w.exists(lock+".v2/retired/"+string(g)+"/generation") {
			t.Errorf("%v:\n%s", cause, w.disk.Dump())
		}
		if got, err := w.proc().program("v2").Try(lock); !got || err != nil {
			t.Errorf("%v: the old program gets %v, %v", cause, got, err)
		}
		wantRoot(t, l)
	}
}

// wantRoot releases the rest.
func wantRoot(t *testing.T, l *lease) {
	t.Helper()
	if err := l.tenure.Release(); err != nil {
		t.Error(err)
	}
	l.root.Close()
}
