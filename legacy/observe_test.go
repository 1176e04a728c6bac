package legacy_test

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

// all names every dialect, with the rules that let it judge a dead holder.
var all = map[string]string{"mkdir": "mkdir", "v2": "v2", "token": "token=here", "heartbeat": "heartbeat=10s"}

func each(t *testing.T, f func(t *testing.T, name string)) {
	for _, name := range legacy.Names() {
		t.Run(name, func(t *testing.T) { f(t, name) })
	}
}

// A live old holder blocks us, is named, and nothing is written.
func TestLiveHolderBlocks(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		w := newWorld(t)
		old := w.hold(name)
		before := w.disk.Dump()
		l, s, err := w.proc().acquire(mustParse(t, all[name]), false, 3)
		w.ok(err)
		if l != nil || s == nil || s.Verdict != legacy.Alive || s.Spent() {
			t.Fatalf("got %v, %+v", l, s)
		}
		if name != "heartbeat" && s.PID != old.pid {
			t.Errorf("the sight names pid %d, not %d", s.PID, old.pid)
		}
		if w.disk.Dump() != before {
			t.Errorf("looking wrote something:\n%s", w.disk.Dump())
		}
		t.Log(s.Path, s.Describe())
	})
}

// A provably dead old holder is reclaimed, and the evidence is told.
func TestDeadHolderIsReclaimed(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		w := newWorld(t)
		w.hold(name).kill()
		w.pass(11 * time.Second)
		p := w.proc()
		l, s, err := p.acquire(mustParse(t, all[name]), false, 1)
		w.ok(err)
		if l == nil || len(l.cleared) != 1 || l.cleared[0].Evidence == "" {
			t.Fatalf("got %+v, %+v\n%s", l, s, w.disk.Dump())
		}
		t.Log(l.cleared[0].Evidence)
		if w.exists(lock) || w.exists(lock+".v2/current") {
			t.Errorf("the old lock is still there:\n%s", w.disk.Dump())
		}
		w.ok(l.Release())
		wantNoLeak(t, p)
	})
}

func wantNoLeak(t *testing.T, p *proc) {
	t.Helper()
	if open := p.disk.Descriptors(); len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
}

// Without the caller's word an age, or a record without a host name, decides
// nothing, however old (cases C2, E4).
func TestUndecidableStays(t *testing.T) {
	for _, tt := range []struct{ name, old, why string }{
		{"token", "token", "names no host"},
		{"heartbeat", "heartbeat", "an age proves nothing"},
		{"mkdir", "token", "names no host"},
		{"mkdir", "heartbeat", "its age proves nothing"},
		{"mkdir,v2,token=here,heartbeat=2s", "heartbeat", "its age proves nothing"},
		{"", "mkdir", "PID namespace"},
		{"", "v2", "PID namespace"},
		{"", "token", "names no host"},
		{"", "heartbeat", "age proves nothing"},
		{"mkdir", "v2", "PID namespace"},
		{"v2", "mkdir", "PID namespace"},
	} {
		t.Run(tt.name+" sees "+tt.old, func(t *testing.T) {
			w := newWorld(t)
			w.hold(tt.old).kill()
			w.pass(48 * time.Hour)
			before := w.disk.Dump()
			for range 2 {
				l, s, err := w.proc().acquire(mustParse(t, tt.name), false, 3)
				w.ok(err)
				if l != nil || s == nil || s.Verdict != legacy.Undecidable {
					t.Fatalf("got %v, %+v", l, s)
				}
				if !strings.Contains(s.Why, tt.why) || s.Next == "" {
					t.Errorf("it says %q, next %q", s.Why, s.Next)
				}
			}
			if w.disk.Dump() != before {
				t.Errorf("something was written:\n%s", w.disk.Dump())
			}
		})
	}
}

// What is in another PID namespace cannot be judged by its number.
func TestOtherNamespaceIsNeverTaken(t *testing.T) {
	for _, name := range []string{"mkdir", "v2", "token"} {
		for _, tt := range []struct {
			what string
			set  func(*world, *proc)
		}{
			{"not all can be seen", func(w *world, _ *proc) { w.blind = true }},
			{"we are outside", func(_ *world, p *proc) { p.self.InitialPIDNS = false }},
		} {
			t.Run(name+" "+tt.what, func(t *testing.T) {
				w := newWorld(t)
				w.hold(name).kill()
				p := w.proc()
				tt.set(w, p)
				l, s, err := p.acquire(mustParse(t, all[name]), false, 3)
				w.ok(err)
				if l != nil || s == nil || s.Verdict != legacy.Undecidable {
					t.Fatalf("got %v, %+v", l, s)
				}
			})
		}
	}
}

// A record that came to nothing keeps the lock, whatever the dialect's age rule
// for none at all.
func TestUnusableRecord(t *testing.T) {
	for _, data := range []string{"", "{", `{"pid":0,"hostname":"vm","token":"x"}`, `{"pid":-1}`, `{"pid":1.5}`,
		`{"pid":"12"}`, `{"pid":99999999999}`, "\x00\x00\x00"} {
		for _, name := range []string{"mkdir", "token"} {
			w := newWorld(t)
			w.ok(w.disk.WriteFile(lock+"/owner.json", data))
			w.pass(time.Hour)
			l, s, err := w.proc().acquire(mustParse(t, all[name]), false, 3)
			w.ok(err)
			if l != nil || s == nil || s.Verdict != legacy.Undecidable {
				t.Errorf("%s, record %q: got %v, %+v", name, data, l, s)
			}
		}
	}
}

// Links and files in the place of an old lock are never followed or changed.
func TestOddPlaces(t *testing.T) {
	for _, path := range []string{lock, lock + ".v2", lock + ".v2/current", lock + "/owner.json"} {
		w := newWorld(t)
		if strings.HasPrefix(path, lock+".v2/") {
			w.ok(w.disk.WriteFile(lock+".v2/protocol-v2", "ttsc-plugin-build-lock-v2\n"))
		}
		w.ok(w.disk.MkdirAll("/elsewhere", 0o777))
		if path == lock+"/owner.json" {
			w.ok(w.disk.MkdirAll(lock, 0o777))
		}
		w.ok(w.disk.Symlink("/elsewhere", path))
		before := w.disk.Dump()
		p := w.proc()
		_, _, err := p.acquire(mustParse(t, "mkdir,v2,token"), true, 2)
		var unsafe *protocol.UnsafeError
		if !errors.As(err, &unsafe) || unsafe.Path != path {
			t.Errorf("%s: got %v", path, err)
		}
		if w.disk.Dump() != before {
			t.Errorf("%s: something was written:\n%s", path, w.disk.Dump())
		}
		wantNoLeak(t, p)
	}
}

func TestParse(t *testing.T) {
	set, err := legacy.Parse(" mkdir, v2,token=here ,heartbeat=10s,")
	if err != nil || !slices.Equal(set.Names(), []string{"mkdir", "v2", "token", "heartbeat"}) {
		t.Fatalf("got %v, %v", set.Names(), err)
	}
	for _, list := range []string{"v3", "mkdir,mkdir", "mkdir=1", "v2=x", "token=there", "heartbeat=1s", "heartbeat=old", "=x"} {
		if _, err := legacy.Parse(list); !errors.Is(err, protocol.ErrUsage) {
			t.Errorf("%q: got %v", list, err)
		}
	}
	if err := mustParse(t, "heartbeat,mkdir").CheckHold(); !errors.Is(err, protocol.ErrUsage) {
		t.Errorf("heartbeat and mkdir held together: %v", err)
	}
	if err := mustParse(t, "mkdir,token,v2").CheckHold(); err != nil {
		t.Error(err)
	}
}

// A directory is dead a moment before its name is gone: what reads it is told that nothing
// is there, and who looks by its path still finds it. That is no error, but a reason to
// look again.
func TestDeadBeforeItsNameIsGone(t *testing.T) {
	for _, list := range []string{"", "mkdir", "token", "token=here", "heartbeat=10s"} {
		for _, files := range []map[string]string{{}, {"owner.json": `{"pid":99,"hostname":"vm","token":"t"}`}} {
			w := newWorld(t)
			for _, place := range []string{lock, place("v2")} {
				w.ok(w.disk.MkdirAll(place, 0o777))
				for name, data := range files {
					w.ok(w.disk.WriteFile(place+"/"+name, data))
				}
			}
			w.ok(w.disk.WriteFile(lock+".v2/protocol-v2", "ttsc-plugin-build-lock-v2\n"))
			w.pass(11 * time.Second)
			want, err := mustParse(t, list).See(w.proc().ctx, at(""))
			w.ok(err)
			for k, ended := 1, false; !ended; k++ {
				p, n := w.proc(), 0
				p.before = func(op faultfs.Op) error {
					if op.Verb == faultfs.Names {
						if n++; n == k {
							return syscall.ENOENT
						}
					}
					return nil
				}
				got, err := mustParse(t, list).See(p.ctx, at(""))
				if ended = n < k; err != nil || len(got) != len(want) {
					t.Errorf("%q with %v, k=%d: %d sights, want %d, %v", list, files, k, len(got), len(want), err)
				}
				wantNoLeak(t, p)
			}
		}
	}
}
