package legacy_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

const breaker = protocol.ID("0192f0c1d2e37abc8def0123456789ac")

// recorded are the dialects whose lock is a directory with a record, in which somebody
// may have put something of his own.
var recorded = []string{"mkdir", "token"}

// A directory with the record of a dead holder, and something of somebody's: neither the
// dead holder nor an operator's word lets anybody move or delete it. What is not a
// lock's is named, and once it is away the lock is reclaimed.
func TestForeignDataBesideARecord(t *testing.T) {
	for _, name := range recorded {
		for _, live := range []bool{false, true} {
			w := newWorld(t)
			old := w.hold(name)
			if !live {
				old.kill()
			}
			w.ok(w.disk.WriteFile(lock+"/notes.txt", "precious"))
			w.pass(11 * time.Second)
			id, p := w.idOf(lock), w.proc()
			_, s, err := mustParse(t, all[name]).Clear(p.ctx, at(breaker))
			if err != nil || s == nil || s.Spent() {
				t.Fatalf("%s, live %v: %+v, %v", name, live, s, err)
			}
			if !live && (!strings.Contains(s.Why, "notes.txt") || s.PID != old.pid || !s.Strange) {
				t.Errorf("%s: it says %q", name, s.Describe())
			}
			if live && (s.Verdict != legacy.Alive || strings.Contains(s.Why, "notes.txt")) {
				t.Errorf("%s: of a live holder it says %q", name, s.Describe())
			}
			var blocked *legacy.BlockedError
			if _, err := legacy.Break(p.ctx, at(breaker), name); !errors.As(err, &blocked) || !strings.Contains(err.Error(), "notes.txt") {
				t.Errorf("%s, live %v: break says %v", name, live, err)
			}
			if w.idOf(lock) != id || !w.exists(lock+"/notes.txt") || !w.exists(lock+"/owner.json") || len(w.names(lock)) != 2 {
				t.Errorf("%s, live %v: it was touched\n%s", name, live, w.disk.Dump())
			}
			wantNoLeak(t, p)
			if live {
				continue
			}
			w.ok(w.disk.RemoveAll(lock + "/notes.txt"))
			if _, s, err := mustParse(t, all[name]).Clear(p.ctx, at(breaker)); s != nil || err != nil || w.exists(lock) {
				t.Errorf("%s: it stays: %+v, %v", name, s, err)
			}
		}
	}
}

// Something of somebody's that arrives between any two steps of a reclaim is never
// deleted, wherever the lock goes.
func TestForeignDataArrivesMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		for _, cannotMove := range []bool{false, true} {
			for k, ended := 1, false; !ended; k++ {
				w := newWorld(t)
				w.hold(name).kill()
				w.pass(11 * time.Second)
				p, n, arrived := w.proc(), 0, false
				p.before = func(op faultfs.Op) error {
					if n++; n == k && w.exists(place(name)) {
						arrived = true
						w.ok(w.disk.WriteFile(place(name)+"/notes.txt", "precious"))
					}
					if cannotMove {
						return baked(name)(op)
					}
					return nil
				}
				mustParse(t, all[name])[0].Reclaim(p.ctx, at(breaker))
				ended = n < k
				w.pass(2 * time.Hour)
				for _, d := range []string{"mkdir", "v2", "token=here", "heartbeat"} {
					mustParse(t, d)[0].Collect(w.proc().ctx, at(""), legacy.Word{Extinct: true})
				}
				if arrived && !strings.Contains(w.disk.Dump(), "notes.txt") {
					t.Errorf("%s, k=%d, cannot move %v: deleted\n%s", name, k, cannotMove, w.disk.Dump())
				}
				wantNoLeak(t, p)
			}
		}
	})
}

// Old programs move whatever stands at L, whose ever it is. So a tombstone and a
// quarantine may hold what no lock does, and then no collection deletes it.
func TestForeignDataIsNotCollected(t *testing.T) {
	for _, tt := range []struct{ dialect, path string }{
		{"mkdir", lock + ".retired-" + oneID},
		{"mkdir", lock + ".hold-" + oneID},
		{"v2", lock + ".v2/retired/" + oneID},
		{"v2", lock + ".v2/.hold-" + oneID},
		{"token", lock + ".quarantine-77-x"},
		{"token", lock + ".quarantine-release-77-x"},
		{"heartbeat", lock + ".hold-" + oneID},
	} {
		w := newWorld(t)
		w.ok(w.disk.WriteFile(lock+".v2/protocol-v2", "ttsc-plugin-build-lock-v2\n"))
		w.ok(w.disk.WriteFile(tt.path+"/owner.json", `{"pid":99,"token":"t","hostname":"vm"}`))
		w.ok(w.disk.WriteFile(tt.path+"/sub/notes.txt", "precious"))
		w.pass(2 * time.Hour)
		for _, dry := range []bool{true, false} {
			done, err := mustParse(t, all[tt.dialect])[0].Collect(w.proc().ctx, at(""), legacy.Word{Extinct: true, DryRun: dry})
			w.ok(err)
			listed := !strings.HasSuffix(tt.path, ".v2/.hold-"+oneID)
			if len(done.Removed) > 0 || listed && !slices.Contains(done.Kept, tt.path) {
				t.Errorf("%s, dry %v: %+v", tt.path, dry, done)
			}
		}
		if !w.exists(tt.path + "/sub/notes.txt") {
			t.Errorf("%s: deleted\n%s", tt.path, w.disk.Dump())
		}
	}
}

// What somebody put into a lock that we hold outlives our release.
func TestForeignDataInOurOwn(t *testing.T) {
	for _, list := range []string{"mkdir", "token=here", "heartbeat=10s"} {
		w := newWorld(t)
		p := w.proc()
		l, s, err := p.acquire(mustParse(t, list), true, 1)
		if l == nil {
			t.Fatal(s, err)
		}
		w.ok(w.disk.WriteFile(lock+"/notes.txt", "precious"))
		w.ok(l.Release())
		if w.exists(lock) || !strings.Contains(w.disk.Dump(), "notes.txt") {
			t.Errorf("%s:\n%s", list, w.disk.Dump())
		}
	}
}
