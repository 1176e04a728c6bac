package lab

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// TestBoundOfWhomOnlyTheDecisiveLookSees: the bound for a single holder is one for an old
// holder whom nothing but the look after publishing shows: the record is that of a
// reclaimer who is gone, and beside it lies that of one whom he had judged and who lives.
func TestBoundOfWhomOnlyTheDecisiveLookSees(t *testing.T) {
	const bound = 3 * time.Second
	w := newWorld(plain, protocol.Genlock)
	w.options.Dialects = "token=here"
	live, p := w.process(), w.process()
	must(w.disk.WriteFile(lockPath+"/owner.json", `{"pid":4711,"token":"t1"}`))
	must(w.disk.WriteFile(lockPath+"/.owner-quarantine.json", fmt.Sprintf(`{"pid":%d,"token":"t2"}`, live.pid)))
	began := w.clock.Now()
	err := p.under(nil, func() error {
		lease, err := w.lock(genlock.Options{PerHolder: bound}).Acquire(p.ctx)
		if err == nil {
			must(lease.Release())
		}
		return err
	})
	var held *genlock.HeldError
	if !errors.As(err, &held) || held.Seen.Old == nil || held.Seen.Old.PID != live.pid || !strings.Contains(err.Error(), "gave up on this holder") {
		t.Fatalf("it ends with %v, endless %v", err, p.endless)
	}
	if waited := w.clock.Now().Sub(began); waited < bound || waited > bound+time.Second {
		t.Errorf("it waited for %s", waited)
	}

	// And a holder of our own lock who comes then has a bound of his own.
	other := w.process()
	var lease *genlock.Lease
	began = w.clock.Now()
	w.clock.setOnSleep(func() {
		if lease == nil && w.clock.Now().Sub(began) >= bound-time.Second {
			must(w.disk.RemoveAll(lockPath))
			lease, err = w.lock(genlock.Options{}).TryAcquire(other.ctx)
			must(err)
		}
	})
	_, err = w.lock(genlock.Options{PerHolder: bound}).Acquire(p.ctx)
	w.clock.setOnSleep(nil)
	if waited := w.clock.Now().Sub(began); !errors.As(err, &held) || held.Seen.Generation != lease.Generation() || waited < 2*bound-time.Second {
		t.Errorf("after %s: %v", waited, err)
	}
	must(lease.Release())
}
