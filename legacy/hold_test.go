package legacy_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

// What we hold, an old program takes for held; what we release, it takes.
func TestHoldKeepsOldProgramsOut(t *testing.T) {
	for _, tt := range lists {
		w := newWorld(t)
		p := w.proc()
		l, s, err := p.acquire(mustParse(t, tt.list), true, 1)
		if l == nil {
			t.Fatalf("%s: %+v %v", tt.list, s, err)
		}
		program := w.proc().program(tt.name)
		for range 12 {
			// The refresh is the lease's own; here the test is its timer.
			if got, err := program.Try(lock); got || err != nil {
				t.Fatalf("%s: an old program takes the lock: %v\n%s", tt.list, err, w.disk.Dump())
			}
			w.ok(l.Check())
			if tt.name == "heartbeat" {
				w.passAndWait(time.Second)
			} else {
				w.pass(time.Minute)
			}
		}
		w.ok(l.Release())
		wantNoLeak(t, p)
		if got, err := program.Try(lock); !got || err != nil {
			t.Errorf("%s: after our release: %v %v\n%s", tt.list, got, err, w.disk.Dump())
		}
		w.ok(program.Release(lock))
		for _, name := range w.names(dir) {
			if strings.Contains(name, ".hold-") || strings.Contains(name, ".quarantine-") || strings.Contains(name, "candidate-") {
				t.Errorf("%s: left %s", tt.list, name)
			}
		}
	}
}

func (w *world) names(path string) []string {
	d, err := w.disk.Process().OpenDir(path)
	w.ok(err)
	defer d.Close()
	names, err := d.Names(0)
	w.ok(err)
	return names
}

// passAndWait lets time pass until the lock was refreshed.
func (w *world) passAndWait(d time.Duration) {
	w.t.Helper()
	for w.sleepers.Load() == 0 {
		runtime.Gosched()
	}
	w.pass(d)
	for end := time.Now().Add(10 * time.Second); ; {
		info, err := w.disk.Process().Lstat(lock)
		w.ok(err)
		if !info.ModTime.Before(w.time()) {
			return
		}
		if time.Now().After(end) {
			w.t.Fatal("the lock is not refreshed")
		}
		runtime.Gosched()
	}
}

// The record is what the old programs read, and ours besides.
func TestHeldRecord(t *testing.T) {
	w := newWorld(t)
	p := w.proc()
	l, _, err := p.acquire(mustParse(t, "mkdir,v2,token"), true, 1)
	w.ok(err)
	for _, path := range []string{lock, lock + ".v2/current"} {
		data, err := w.disk.ReadFile(path + "/owner.json")
		w.ok(err)
		var r struct {
			Generation, Hostname, StartedAt, Token string
			PID                                    int
			Process                                *protocol.Process
		}
		w.ok(json.Unmarshal([]byte(data), &r))
		if r.Generation != string(l.tenure.Generation()) || r.Hostname != host || r.PID != p.pid ||
			strings.ReplaceAll(r.Token, "-", "") != r.Generation || r.Process == nil || r.Process.Instance != p.self.Instance {
			t.Errorf("%s: %s", path, data)
		}
	}
	data, err := w.disk.ReadFile(lock + ".v2/current/generation")
	if err != nil || data != string(l.tenure.Generation())+"\n" {
		t.Errorf("generation %q, %v", data, err)
	}
	w.ok(l.Release())
	p.self.InitialPIDNS = false
	l, _, err = p.acquire(mustParse(t, "mkdir"), true, 1)
	w.ok(err)
	if data, _ := w.disk.ReadFile(lock + "/owner.json"); !strings.Contains(data, `"vm/pidns:1"`) {
		t.Errorf("outside the initial PID namespace: %s", data)
	}
	w.ok(l.Release())
}

// A thief is found out by Check, and Release touches nothing of his.
func TestHeldIsStolen(t *testing.T) {
	for _, tt := range lists {
		w := newWorld(t)
		p := w.proc()
		l, _, err := p.acquire(mustParse(t, tt.list), true, 1)
		w.ok(err)
		w.ok(w.disk.RemoveAll(place(tt.name)))
		if strings.Contains(tt.list, ",") {
			w.ok(w.disk.RemoveAll(lock))
		}
		w.hold(tt.name)
		thief := w.idOf(place(tt.name))
		if err := l.Check(); !errors.Is(err, legacy.ErrLost) {
			t.Errorf("%s: Check says %v", tt.list, err)
		}
		if err := l.Release(); !errors.Is(err, legacy.ErrLost) {
			t.Errorf("%s: Release says %v", tt.list, err)
		}
		if w.idOf(place(tt.name)) != thief {
			t.Errorf("%s: the thief's lock is gone\n%s", tt.list, w.disk.Dump())
		}
		wantNoLeak(t, p)
	}
}

// Between our last look and our rename somebody puts another lock there, and when
// we have found out, a third one took the place: nothing is deleted, and it is
// said.
func TestDisplaced(t *testing.T) {
	for _, name := range []string{"mkdir", "token", "heartbeat"} {
		w := newWorld(t)
		w.hold(name).kill()
		w.pass(11 * time.Second)
		var second vfs.ID
		p := w.proc()
		n := 0
		p.before = func(op faultfs.Op) error {
			if op.Verb == faultfs.Rename && op.Path == lock {
				w.ok(w.disk.RemoveAll(lock))
				w.hold(name)
				second = w.idOf(lock)
			}
			if op.Verb == faultfs.Rename && op.To == lock {
				if n++; n == 1 {
					w.hold(name)
				}
			}
			return nil
		}
		_, err := mustParse(t, all[name])[0].Reclaim(p.ctx, at(""))
		var displaced *legacy.DisplacedError
		if !errors.As(err, &displaced) {
			t.Fatalf("%s: got %v", name, err)
		}
		if w.idOf(displaced.NowLiesAt) != second || !w.exists(lock) {
			t.Errorf("%s: %v\n%s", name, err, w.disk.Dump())
		}
		wantNoLeak(t, p)
	}
}

// Case F4: a successor that looks the same by its times, and on file systems that
// give inode numbers out again by its number too, is not taken for the dead
// lock.
func TestSuccessorLooksTheSame(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		for k := 1; ; k++ {
			w := newWorldOn(t, memfs.Options{ReuseInodes: true})
			w.hold(name).kill()
			w.pass(11 * time.Second)
			old, err := w.disk.Process().Lstat(place(name))
			w.ok(err)
			p := w.proc()
			n := 0
			p.before = func(faultfs.Op) error {
				if n++; n == k {
					w.ok(w.disk.RemoveAll(place(name)))
					w.hold(name)
					w.ok(w.disk.Chtime(place(name), old.ModTime))
				}
				return nil
			}
			_, err = mustParse(t, all[name])[0].Reclaim(p.ctx, at(""))
			if n < k {
				break
			}
			// A heartbeat lock has no identity but its directory: one that was
			// there before we looked, with that time, is stale by the rule.
			if !w.exists(place(name)) && (name != "heartbeat" || err != nil) {
				t.Errorf("k=%d: the successor is gone, and we said %v\n%s", k, err, w.disk.Dump())
			}
		}
	})
}

// A holder of ours that lives is waited for by its generation; its old lock does
// not stand in the way by itself. One whose release failed does not wedge others
// for longer than its process lives.
func TestOldLockOfOurs(t *testing.T) {
	for _, list := range []string{"mkdir", "v2", "token", "heartbeat"} {
		w := newWorld(t)
		p := w.proc()
		l, _, err := p.acquire(mustParse(t, list), true, 1)
		w.ok(err)
		q := w.proc()
		for _, others := range []string{list, ""} {
			if s, err := mustParse(t, others).Look(q.ctx, at("")); s != nil || err != nil {
				t.Errorf("%s seen by %q: %+v %v", list, others, s, err)
			}
		}
		p.kill()
		// Whatever is enabled there: it is genlock's own.
		got, s, err := q.acquire(mustParse(t, ""), false, 3)
		if got == nil {
			t.Errorf("%s: its rest stands in the way: %+v %v\n%s", list, s, err, w.disk.Dump())
		}
		_ = l
	}
}

// Between taking L and taking L.v2 a late old program deletes L by its path, and nobody
// stands there afterwards. What is lost already is not given to anybody as held.
func TestLostWhileTakingTheOthers(t *testing.T) {
	for _, list := range []string{"mkdir,v2", "v2,mkdir", "v2,token"} {
		for _, path := range []string{lock, place("v2")} {
			for k, ended := 1, false; !ended; k++ {
				w := newWorld(t)
				set := mustParse(t, list)
				p := w.proc()
				n := 0
				p.before = func(faultfs.Op) error {
					if n++; n == k {
						w.ok(w.disk.RemoveAll(path))
					}
					return nil
				}
				h, s, err := set.Hold(p.ctx, at(oneID))
				ended = n < k
				p.before = nil
				if s != nil || err != nil {
					t.Errorf("%s, k=%d: %+v, %v", list, k, s, err)
				}
				if h != nil && k < n-4 { // the last operations are the check itself
					if err := h.Check(); err != nil {
						t.Errorf("%s without %s, k=%d of %d: it is held, and %v", list, path, k, n, err)
					}
				}
				if err := h.Release(); err != nil && !errors.Is(err, legacy.ErrLost) {
					t.Error(err)
				}
				wantNoLeak(t, p)
			}
		}
	}
}

// Of a directory that one dialect is sure of, the others are not asked: each look costs
// as much as a look at our own lock.
func TestSureOfItLooksOnce(t *testing.T) {
	for name, list := range map[string]string{"mkdir": "mkdir,v2", "token": "token=here"} {
		w := newWorld(t)
		w.hold(name)
		p := w.proc()
		looks := 0
		p.before = func(op faultfs.Op) error {
			if op.Verb == faultfs.OpenDir && op.Path == lock {
				looks++
			}
			return nil
		}
		if sights, err := mustParse(t, list).See(p.ctx, at("")); err != nil || len(sights) != 1 {
			t.Errorf("%s: %+v, %v", name, sights, err)
		}
		if looks != 1 {
			t.Errorf("%s: it was opened %d times", name, looks)
		}
	}
}
