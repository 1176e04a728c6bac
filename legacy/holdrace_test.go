package legacy_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/legacy"
)

// Hold mode: two processes, ours and an old program, from the same start, in every
// schedule of two switches. Whenever the old program gets the lock, we do not
// hold it, or Check says that it was taken away.
func TestHoldAgainstOldProgram(t *testing.T) {
	for _, tt := range []struct{ list, name string }{
		{"mkdir", "mkdir"}, {"v2", "v2"}, {"mkdir,v2", "v2"}, {"v2,mkdir", "mkdir"},
		{"token=here", "token"}, {"heartbeat=10s", "heartbeat"},
	} {
		for start, prepare := range starts(tt.list, tt.name) {
			t.Run(tt.list+" and "+tt.name+" from "+start, func(t *testing.T) {
				t.Parallel()
				runs, both := 0, 0
				for k, more := 0, true; more; k++ {
					more = false
					for j := 1 + k%stride(); ; j += stride() {
						r := newHoldRace(t, tt.list, tt.name, prepare, k)
						if r.ours.ended {
							break
						}
						more = true
						goesOn := r.old.step(j)
						r.ours.finish()
						r.old.finish()
						runs++
						if r.verify(k, j) {
							both++
						}
						if !goesOn {
							break
						}
					}
				}
				t.Logf("%d schedules, %d in which an old program took the lock away from us and Check said so", runs, both)
				if both > 0 && start == "free" {
					t.Error("nothing was stale, so nobody may have taken it away")
				}
			})
		}
	}
}

// stride leaves out schedules: a run that is not a long one sees each stop of either
// side, but not every pair of them. Under the race detector it sees fewer still.
func stride() int {
	n := 7
	switch {
	case os.Getenv("GENLOCK_LONG") != "":
		return 1
	case testing.Short():
		n = 15
	}
	if racing {
		n *= 5
	}
	return n
}

// starts are what both find.
func starts(list, name string) map[string]func(*world) {
	return map[string]func(*world){
		"free": func(*world) {},
		"a dead old holder": func(w *world) {
			w.hold(name).kill()
			w.pass(11 * time.Second)
		},
		"a dead holder of ours": func(w *world) {
			p := w.proc()
			l, s, err := p.acquire(mustParse(w.t, list), true, 5)
			if l == nil {
				w.t.Fatalf("cannot hold: %+v %v\n%s", s, err, w.disk.Dump())
			}
			p.kill()
			w.pass(11 * time.Second)
		},
	}
}

type holdRace struct {
	t         *testing.T
	w         *world
	name      string
	ours, old *actor
	lease     *lease
	err       error
	got       bool
	oldErr    error
	program   interface{ Release(string) error }
}

func newHoldRace(t *testing.T, list, name string, prepare func(*world), k int) *holdRace {
	r := &holdRace{t: t, w: newWorld(t), name: name}
	prepare(r.w)
	set := mustParse(t, list)
	p := r.w.proc()
	r.ours = stepwise(p, toUs, func() { r.lease, _, r.err = p.acquire(set, true, 5) })
	r.ours.step(k)
	q := r.w.proc()
	program := q.program(name)
	r.program = program
	r.old = stepwise(q, toOld, func() {
		for range 4 {
			if r.got, r.oldErr = program.Try(lock); r.got || r.oldErr != nil {
				return
			}
		}
	})
	return r
}

// verify tells whether both thought that they hold the lock, and we found out.
func (r *holdRace) verify(k, j int) bool {
	r.t.Helper()
	if r.err != nil && !errors.Is(r.err, legacy.ErrLost) {
		r.t.Errorf("k=%d j=%d: we failed: %v\n%s", k, j, r.err, r.w.disk.Dump())
		return false
	}
	lost := false
	if r.lease != nil {
		err := r.lease.Check()
		lost = r.got && err != nil
		if r.got && err == nil {
			r.t.Errorf("k=%d j=%d: both hold the lock\n%s", k, j, r.w.disk.Dump())
		}
		if !r.got && err != nil {
			r.t.Logf("k=%d j=%d: lost to nobody: %v (old: %v)", k, j, err, r.oldErr)
		}
		if err := r.lease.Release(); err != nil && !lost && !errors.Is(err, legacy.ErrLost) {
			r.t.Errorf("k=%d j=%d: release: %v", k, j, err)
		}
	}
	if r.got {
		before := r.w.idOf(place(r.name))
		if before == (vfs.ID{}) {
			r.t.Logf("k=%d j=%d: the old program's lock is gone", k, j)
		}
		r.program.Release(lock)
	}
	wantNoLeak(r.t, r.ours.proc)
	return lost
}
