package legacy_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/legacy"
)

const (
	oneID   = "0192f0c1d2e37abc8def0123456789aa"
	otherID = "0192f0c1d2e37abc8def0123456789ab"
)

// litter is what may lie beside a lock, or in its v2 root, and when it may go: in an
// hour, on the operator's word that its programs are extinct, or never.
var litter = []struct{ dialect, path, goes string }{
	{"mkdir", lock + ".legacy-candidate-" + oneID, "in an hour"},
	{"mkdir", lock + ".retired-" + oneID, "on his word"},
	{"mkdir", lock + ".hold-" + oneID, "in an hour"},
	{"mkdir", dir + "/.genlock-probe-" + oneID, "in an hour"},
	{"mkdir", lock, "never"},
	{"mkdir", lock + ".retired-x", "never"},
	{"mkdir", lock + ".retired-" + oneID + "x", "never"},
	{"mkdir", dir + "/other.lock.retired-" + oneID, "never"},
	{"mkdir", lock + ".v2", "never"},
	{"mkdir", lock + ".v3", "never"},
	{"v2", lock + ".v2.candidate-" + oneID, "in an hour"},
	{"v2", lock + ".v2/candidate-" + oneID, "in an hour"},
	{"v2", lock + ".v2/retired/" + oneID, "on his word"},
	{"v2", lock + ".v2/retired/" + otherID, "on his word"},
	{"v2", lock + ".v2/retired/notes", "never"},
	{"v2", lock + ".v2/current", "never"},
	{"v2", lock + ".v2/protocol-v2", "never"},
	{"v2", lock + ".v2/retired", "never"},
	{"v2", dir + "/other.lock.v2.candidate-" + oneID, "never"},
	{"heartbeat", lock + ".hold-" + oneID, "in an hour"},
	{"heartbeat", lock + ".retired-" + oneID, "never"},
	{"heartbeat", lock, "never"},
	{"token", lock + ".hold-" + oneID, "in an hour"},
}

func newLitter(t *testing.T, dialect string) *world {
	w := newWorld(t)
	w.ok(w.disk.WriteFile(lock+"/owner.json", `{"hostname":"vm","pid":1,"token":"t"}`))
	w.ok(w.disk.WriteFile(lock+".v2/protocol-v2", "ttsc-plugin-build-lock-v2\n"))
	w.ok(w.disk.WriteFile(lock+".v2/current/generation", otherID+"\n"))
	for _, l := range litter {
		if l.dialect == dialect && !w.exists(l.path) {
			w.ok(w.disk.WriteFile(l.path+"/"+content(l.path), "x"))
		}
	}
	return w
}

// content is a name that lies in such litter.
func content(path string) string {
	switch {
	case strings.Contains(path, ".legacy-candidate-"):
		return "fence.json"
	case strings.Contains(path, ".v2.candidate-"):
		return "protocol-v2"
	case strings.Contains(path, ".v2/"):
		return "generation"
	}
	return "owner.json"
}

// Only what the dialect's rules allow is collected; a dry run tells the same and
// changes nothing.
func TestCollect(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		for _, late := range []bool{false, true} {
			for _, extinct := range []bool{false, true} {
				w := newLitter(t, name)
				w.pass(59 * time.Minute)
				if late {
					w.pass(2 * time.Minute)
				}
				p := w.proc()
				d := mustParse(t, all[name])[0]
				before := w.disk.Dump()
				dry, err := d.Collect(p.ctx, at(""), legacy.Word{Extinct: extinct, DryRun: true})
				w.ok(err)
				if w.disk.Dump() != before {
					t.Errorf("a dry run wrote something:\n%s", w.disk.Dump())
				}
				done, err := d.Collect(p.ctx, at(""), legacy.Word{Extinct: extinct})
				w.ok(err)
				if !slices.Equal(sorted(dry.Removed), sorted(done.Removed)) || !slices.Equal(sorted(dry.Kept), sorted(done.Kept)) {
					t.Errorf("a dry run tells %+v, then %+v was done", dry, done)
				}
				for _, l := range litter {
					if l.dialect != name {
						continue
					}
					want := l.goes == "in an hour" && late || l.goes == "on his word" && extinct
					if gone := !w.exists(l.path); gone != want {
						t.Errorf("late %v, extinct %v: %s is gone: %v", late, extinct, l.path, gone)
					}
					if told := slices.Contains(done.Removed, l.path); told != want {
						t.Errorf("late %v, extinct %v: it tells that %s was removed: %v", late, extinct, l.path, told)
					}
				}
				wantNoLeak(t, p)
			}
		}
	})
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

// A collector that dies at any step, or meets one that does the same, leaves nothing
// that another one cannot collect; what it must not remove it never touches.
func TestCollectCrash(t *testing.T) {
	for _, name := range []string{"mkdir", "v2"} {
		d := mustParse(t, all[name])[0]
		for k, ended := 1, false; !ended; k++ {
			w := newLitter(t, name)
			w.pass(2 * time.Hour)
			p := w.proc()
			n := 0
			p.before = func(op faultfs.Op) error {
				if n++; n >= k {
					return syscall.EIO // nothing of what would follow happens
				}
				return nil
			}
			d.Collect(p.ctx, at(""), legacy.Word{Extinct: true})
			ended = n < k
			w.pass(2 * time.Hour)
			_, err := d.Collect(w.proc().ctx, at(""), legacy.Word{Extinct: true})
			w.ok(err)
			for _, l := range litter {
				if l.dialect == name && w.exists(l.path) != (l.goes == "never") {
					t.Errorf("%s, k=%d: %s is there: %v", name, k, l.path, w.exists(l.path))
				}
			}
			for _, n := range append(w.names(dir), w.names(lock+".v2")...) {
				if strings.Contains(n, ".hold-") {
					t.Errorf("%s, k=%d: %s stays", name, k, n)
				}
			}
		}
	}
}

// A release that cannot move the lock away tries for its budget and then empties it
// where it lies: it never leaves the lock held.
func TestReleaseLeavesNothingHeld(t *testing.T) {
	for _, tt := range lists {
		if tt.name == "v2" {
			continue // its release is the rename of v3, with the completion to fall back on
		}
		for _, cause := range []error{syscall.EIO, syscall.EBUSY, syscall.ENOSPC, syscall.EACCES} {
			t.Run(fmt.Sprint(tt.list, " ", cause), func(t *testing.T) {
				w := newWorld(t)
				p := w.proc()
				l, s, err := p.acquire(mustParse(t, tt.list), true, 1)
				if l == nil {
					t.Fatal(s, err)
				}
				p.before = func(op faultfs.Op) error {
					if op.Verb == faultfs.Rename && op.Path == lock {
						return cause
					}
					return nil
				}
				before := w.time()
				if err := l.holding.Release(); err != nil {
					t.Errorf("the release says %v", err)
				}
				if took := w.time().Sub(before); took > legacy.ReleaseBudget+time.Second {
					t.Errorf("it took %s", took)
				}
				if w.exists(lock) {
					t.Errorf("it is held still\n%s", w.disk.Dump())
				}
				if got, err := w.proc().program(tt.name).Try(lock); !got || err != nil {
					t.Errorf("the old program gets %v, %v", got, err)
				}
			})
		}
	}
}

// A reclaim tries a rename that fails again for its budget, and then says what the
// system said; what passes sooner is not told.
func TestReclaimBudget(t *testing.T) {
	for name, list := range all {
		for _, tt := range []struct{ lasts, takes time.Duration }{{3 * time.Second, 4 * time.Second}, {time.Hour, 6 * time.Second}} {
			w := newWorld(t)
			w.hold(name).kill()
			w.pass(11 * time.Second)
			p := w.proc()
			before := w.time()
			p.before = func(op faultfs.Op) error {
				if op.Verb == faultfs.Rename && op.Path == place(name) && w.time().Sub(before) < tt.lasts {
					return syscall.EIO
				}
				return nil
			}
			_, err := mustParse(t, list)[0].Reclaim(p.ctx, at(""))
			if tt.lasts < time.Hour && err != nil || tt.lasts == time.Hour && !errors.Is(err, syscall.EIO) {
				t.Errorf("%s, for %s: got %v", name, tt.lasts, err)
			}
			if took := w.time().Sub(before); took < min(tt.lasts, 5*time.Second) || took > tt.takes {
				t.Errorf("%s, for %s: it took %s", name, tt.lasts, took)
			}
			wantNoLeak(t, p)
		}
	}
}
