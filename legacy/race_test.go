package legacy_test

import (
	"errors"
	"testing"
	"time"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/legacy"
)

// place is where the lock of a dialect lies.
func place(name string) string {
	if name == "v2" {
		return lock + ".v2/current"
	}
	return lock
}

// Protocol, "Old protocols", reclaim: stopped between any two steps while an old
// program does up to any of its own, we never take its lock for the one that we
// judged. A displaced live lock is put back, or reported.
//
//  1. an old holder is dead
//  2. we reclaim, and stop before our operation k
//  3. an old program steals and takes the lock; it stops after its operation j
//  4. we go on to the end
//  5. the old program goes on to the end
func TestReclaimAgainstOldProgram(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		k, runs, displaced := 0, 0, 0
		for more := true; more; k++ {
			more = false
			for j := 1 + k%stride(); ; j += stride() {
				r := newReclaimRace(t, name, k)
				if r.ours.ended {
					break
				}
				more = true
				goesOn := r.old.step(j)
				r.ours.finish()
				r.old.finish()
				runs++
				if r.verify(k, j) {
					displaced++
				}
				if !goesOn {
					break
				}
			}
		}
		t.Logf("%d schedules, %d of them left a live lock displaced and said so", runs, displaced)
	})
}

type reclaimRace struct {
	t         *testing.T
	w         *world
	name      string
	ours, old *actor
	err       error // of our Reclaim
	got       bool  // the old program holds the lock
	id        vfs.ID
}

func newReclaimRace(t *testing.T, name string, k int) *reclaimRace {
	r := &reclaimRace{t: t, w: newWorld(t), name: name}
	r.w.hold(name).kill()
	r.w.pass(11 * time.Second)
	d := mustParse(t, all[name])[0]
	p := r.w.proc()
	r.ours = stepwise(p, toUs, func() { _, r.err = d.Reclaim(p.ctx, at("")) })
	r.ours.step(k)
	q := r.w.proc()
	program := q.program(name)
	r.old = stepwise(q, toOld, func() {
		for range 4 {
			if got, err := program.Try(lock); got || err != nil {
				r.got = got
				break
			}
		}
		r.id = r.w.idOf(place(name))
	})
	return r
}

// verify tells whether the old program's lock was displaced and reported.
func (r *reclaimRace) verify(k, j int) bool {
	r.t.Helper()
	var displaced *legacy.DisplacedError
	var blocked *legacy.BlockedError
	switch {
	case errors.As(r.err, &displaced):
		if !r.w.exists(displaced.NowLiesAt) {
			r.t.Errorf("k=%d j=%d: nothing lies at %s\n%s", k, j, displaced.NowLiesAt, r.w.disk.Dump())
		}
		return true
	case r.err != nil && !errors.Is(r.err, legacy.ErrMoved) && !errors.As(r.err, &blocked):
		r.t.Errorf("k=%d j=%d: our reclaim failed: %v", k, j, r.err)
	}
	if r.got && !r.w.exists(place(r.name)) {
		r.t.Errorf("k=%d j=%d: the old program's new lock is gone, and we said %v\n%s", k, j, r.err, r.w.disk.Dump())
	}
	wantNoLeak(r.t, r.ours.proc)
	return false
}
