package legacy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/legacy"
)

// The identity is found in every form in which a crash can leave it.
func TestTokenForms(t *testing.T) {
	for _, file := range []string{"owner.json", ".owner-quarantine.json", ".owner-quarantine-77-x.json", ".owner-t1.tmp"} {
		for _, dead := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, dead %v", file, dead), func(t *testing.T) {
				w := newWorld(t)
				pid := w.begin()
				w.ok(w.disk.WriteFile(lock+"/"+file, fmt.Sprintf(`{"pid":%d,"token":"t1"}`, pid)))
				if dead {
					w.end(pid)
				}
				l, s, err := w.proc().acquire(mustParse(t, "token=here"), false, 2)
				w.ok(err)
				if (l != nil) != dead {
					t.Errorf("got %v, %+v", l, s)
				}
				if s != nil && (s.PID != pid || s.Token != "t1") {
					t.Errorf("the sight names %d %q", s.PID, s.Token)
				}
			})
		}
	}
}

// A crashed reclaimer's quarantined record and a later one: both have to be spent.
func TestTokenSeveralIdentities(t *testing.T) {
	w := newWorld(t)
	live := w.begin()
	w.ok(w.disk.WriteFile(lock+"/owner.json", `{"pid":99,"token":"t2"}`))
	w.ok(w.disk.WriteFile(lock+"/.owner-quarantine.json", fmt.Sprintf(`{"pid":%d,"token":"t1"}`, live)))
	set := mustParse(t, "token=here")
	l, s, err := w.proc().acquire(set, false, 2)
	w.ok(err)
	if l != nil || s == nil || s.PID != live {
		t.Fatalf("got %v, %+v", l, s)
	}
	w.end(live)
	if l, s, err = w.proc().acquire(set, false, 2); l == nil {
		t.Fatalf("got %+v, %v\n%s", s, err, w.disk.Dump())
	}
}

// Its own rule: without a record in any form it is alive for 10 s, and then not.
func TestTokenWithoutRecord(t *testing.T) {
	w := newWorld(t)
	w.ok(w.disk.MkdirAll(lock, 0o777))
	set := mustParse(t, "token")
	w.pass(10 * time.Second)
	if l, s, err := w.proc().acquire(set, false, 2); l != nil || s == nil || s.Verdict != legacy.Alive {
		t.Fatalf("got %v, %+v, %v", l, s, err)
	}
	w.pass(time.Millisecond)
	if l, s, err := w.proc().acquire(set, false, 2); l == nil {
		t.Fatalf("got %+v, %v", s, err)
	}
}

// A lock of this very process is an error at once; one that it could not release
// is an orphan that it reclaims itself.
func TestTokenOfOurOwn(t *testing.T) {
	w := newWorld(t)
	p := w.proc()
	set := mustParse(t, "token")
	l, _, err := p.acquire(set, true, 1)
	w.ok(err)
	// Another path to the same lock, say: v3 does not know of it.
	w.ok(w.disk.RemoveAll(lock + ".v3"))
	s, err := set.Look(p.ctx, at(""))
	if err != nil || s == nil || !s.Self {
		t.Fatalf("got %+v, %v", s, err)
	}
	if err := error(&legacy.BlockedError{Sight: s}); !errors.Is(err, legacy.ErrOwn) || !errors.Is(err, legacy.ErrHeld) ||
		!strings.Contains(err.Error(), "you already hold this") {
		t.Errorf("it says %v", err)
	}
	// The release finds no way to move, empty or remove it.
	p.before = func(op faultfs.Op) error {
		if op.Writes() && strings.HasPrefix(op.Path, lock) && !strings.Contains(op.Path, ".v3") {
			return errors.New("broken disk")
		}
		return nil
	}
	before := w.time()
	if err := l.Release(); err == nil {
		t.Fatal("released on a broken disk")
	}
	if took := w.time().Sub(before); took < legacy.ReleaseBudget || took > legacy.ReleaseBudget+time.Second {
		t.Errorf("it tried for %s", took)
	}
	p.before = nil
	l, s, err = p.acquire(set, true, 1)
	if l == nil || len(l.cleared) != 1 {
		t.Fatalf("the orphan stays: %+v, %v", s, err)
	}
	t.Log(l.cleared[0].Evidence)
	w.ok(l.Release())
}

// Quarantines go when their owner cannot act, and at once without a record.
func TestTokenCollect(t *testing.T) {
	w := newWorld(t)
	live := w.begin()
	q := lock + ".quarantine-"
	w.ok(w.disk.MkdirAll(q+"77-empty", 0o777))
	w.ok(w.disk.WriteFile(q+"release-77-dead/.owner-quarantine.json", `{"pid":99,"token":"t"}`))
	w.ok(w.disk.WriteFile(q+"77-live/owner.json", fmt.Sprintf(`{"pid":%d,"token":"t"}`, live)))
	w.ok(w.disk.MkdirAll(dir+"/other.lock.quarantine-77-x", 0o777))
	w.pass(11 * time.Second)
	d := mustParse(t, "token=here")[0]
	for _, dry := range []bool{true, false} {
		done, err := d.Collect(w.proc().ctx, at(""), legacy.Word{DryRun: dry})
		w.ok(err)
		if len(done.Removed) != 2 || len(done.Kept) != 1 || done.Kept[0] != q+"77-live" {
			t.Errorf("dry %v: got %+v", dry, done)
		}
		if w.exists(q+"77-empty") != dry || w.exists(q+"release-77-dead") != dry {
			t.Errorf("dry %v:\n%s", dry, w.disk.Dump())
		}
	}
	if !w.exists(dir + "/other.lock.quarantine-77-x") {
		t.Error("another lock's quarantine is gone")
	}
}

// Nothing is listed on the hot path, however many quarantines lie beside.
func TestNoListing(t *testing.T) {
	for _, list := range []string{"mkdir", "v2", "mkdir,v2", "token", ""} {
		w := newWorld(t)
		p := w.proc()
		var listed []string
		p.before = func(op faultfs.Op) error {
			if op.Verb == faultfs.Names && op.Path == dir {
				listed = append(listed, op.String())
			}
			return nil
		}
		l, s, err := p.acquire(mustParse(t, list), list != "", 2)
		if l == nil {
			t.Fatalf("%q: %+v %v", list, s, err)
		}
		w.ok(l.Release())
		if len(listed) > 0 {
			t.Errorf("%q: listed %v", list, listed)
		}
	}
}
