package legacy_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/legacy"
)

// Rule 9: of a name that changed hands a moment ago a network file system says
// ESTALE. That is a reason to look again, never one to believe that nothing is
// there: a live old holder stays, at whatever operation it is said, once or from
// then on.
func TestStaleIsNotAbsence(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		for _, holder := range []string{"an old program", "ours"} {
			for _, hold := range []bool{false, true} {
				for _, lasts := range []bool{false, true} {
					step := crashStride()
					if lasts && os.Getenv("GENLOCK_LONG") == "" {
						step *= 2 // each look is made a hundred times
						if holder == "ours" {
							continue
						}
					}
					for k := 1; staleAt(t, name, holder, hold, lasts, k); k += step {
					}
				}
			}
		}
	})
}

// staleAt tells whether there was an operation k.
func staleAt(t *testing.T, name, holder string, hold, lasts bool, k int) bool {
	t.Helper()
	w := newWorld(t)
	if holder == "ours" {
		ours, s, err := w.proc().acquire(mustParse(t, name), true, 1)
		if ours == nil {
			t.Fatal(s, err)
		}
		defer ours.Release()
	} else {
		w.hold(name)
	}
	w.pass(time.Second)
	if name == "token" || name == "mkdir" {
		w.pass(time.Minute) // without its record it would be old enough for their rules
	}
	id := w.idOf(place(name))
	p := w.proc()
	n := 0
	var stale faultfs.Op
	p.before = func(op faultfs.Op) error {
		n++
		if n == k {
			stale = op
		}
		if n == k || lasts && n > k && op.Verb == stale.Verb && op.Path == stale.Path {
			return syscall.ESTALE
		}
		return nil
	}
	l, _, err := p.acquire(mustParse(t, all[name]), hold, 3)
	if l != nil {
		t.Errorf("%s, hold %v, lasts %v: at %v: it took the lock of a live old holder", holder, hold, lasts, stale)
		l.Release()
	}
	if err != nil && !errors.Is(err, syscall.ESTALE) && !errors.Is(err, tree.ErrRestless) {
		t.Errorf("%s, hold %v, lasts %v: at %v: %v", holder, hold, lasts, stale, err)
	}
	if w.idOf(place(name)) != id {
		t.Errorf("%s, hold %v, lasts %v: at %v: the live holder's lock is gone\n%s", holder, hold, lasts, stale, w.disk.Dump())
	}
	wantNoLeak(t, p)
	return n >= k
}

// A live lock that was moved by mistake and cannot be put back is reported, whatever
// the reason.
func TestPutBackFails(t *testing.T) {
	for _, name := range []string{"mkdir", "token", "heartbeat"} {
		for _, cause := range []error{syscall.ESTALE, syscall.EIO, syscall.EACCES} {
			w := newWorld(t)
			w.hold(name).kill()
			w.pass(11 * time.Second)
			var live vfs.ID
			p := w.proc()
			p.before = func(op faultfs.Op) error {
				switch {
				case op.Verb == faultfs.Rename && op.To == lock:
					return cause
				case op.Verb == faultfs.Rename && op.Path == lock && live == vfs.ID{}:
					w.ok(w.disk.RemoveAll(lock))
					w.hold(name)
					live = w.idOf(lock)
				}
				return nil
			}
			_, err := mustParse(t, all[name])[0].Reclaim(p.ctx, at(""))
			var displaced *legacy.DisplacedError
			if !errors.As(err, &displaced) {
				t.Errorf("%s, %v: got %v\n%s", name, cause, err, w.disk.Dump())
			} else if w.idOf(displaced.NowLiesAt) != live {
				t.Errorf("%s, %v: it does not lie at %s", name, cause, displaced.NowLiesAt)
			}
			wantNoLeak(t, p)
		}
	}
}

// ESTALE in passing is not the loss of a lock, nor of its release.
func TestStaleIsNotLoss(t *testing.T) {
	for _, tt := range lists {
		for k := 1; ; k++ {
			w := newWorld(t)
			p := w.proc()
			l, s, err := p.acquire(mustParse(t, tt.list), true, 1)
			if l == nil {
				t.Fatal(s, err)
			}
			n := 0
			p.before = func(op faultfs.Op) error {
				if op.Verb == faultfs.Lstat && !strings.Contains(op.Path, ".v3") {
					if n++; n == k {
						return syscall.ESTALE
					}
				}
				return nil
			}
			if err := l.holding.Check(); err != nil {
				t.Errorf("%s, k=%d: check: %v", tt.list, k, err)
			}
			if err := l.Release(); err != nil {
				t.Errorf("%s, k=%d: release: %v", tt.list, k, err)
			}
			if w.exists(place(tt.name)) {
				t.Errorf("%s, k=%d: it is there still", tt.list, k)
			}
			wantNoLeak(t, p)
			if n < k {
				break
			}
		}
	}
}
