//go:build unix

package genlock_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

const mixedVariable = "GENLOCK_TEST_MIXED"

// mixed is one process among old and new ones that take turns at one lock.
type mixed struct {
	Lock     string
	Turns    oldprograms.Turns
	Format   protocol.Format
	Dialects string
	// Old is the old program that it emulates; "" is ours.
	Old string
}

func (m *mixed) run() (err error) {
	var stats oldprograms.Stats
	if m.Old != "" {
		stats, err = m.Turns.Run(m.Old, oldprograms.Enter(oldprograms.New(m.Old, oldprograms.Here(vfs.OS())), m.Lock),
			func(error) bool { return false })
	} else {
		waits := 0
		stats, err = m.Turns.Run(oldprograms.Ours, m.ours(&waits), func(err error) bool { return errors.Is(err, genlock.ErrLost) })
		stats.Waits = waits
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(stats)
}

func (m *mixed) ours(waits *int) func() (func() error, error) {
	waited := false
	lock := genlock.New(m.Lock, &genlock.Options{Format: m.Format, Dialects: m.Dialects, Hold: true,
		OnEvent: func(e genlock.Event) { waited = waited || e.Kind == genlock.EventWaiting }})
	return func() (func() error, error) {
		waited = false
		lease, err := lock.Acquire(context.Background())
		if err != nil {
			return nil, err
		}
		if waited {
			*waits++
		}
		return func() error { return errors.Join(lease.Check(), lease.Release()) }, nil
	}
}

// mixes are the old programs and what holds their locks.
var mixes = []struct{ dialects, old string }{
	{"mkdir", "mkdir"}, {"mkdir,v2", "mkdir"}, {"mkdir,v2", "v2"}, {"v2", "v2"},
	{"token=here", "token"}, {"heartbeat=10s", "heartbeat"},
}

var bothFormats = []protocol.Format{protocol.Genlock, protocol.TTSC}

// TestHoldMixed: in hold mode old programs and ours exclude each other, in every
// dialect and in both formats. An old program that breaks its own rules can take
// our old lock away; then we have to know it.
func TestHoldMixed(t *testing.T) {
	for _, x := range mixes {
		for _, format := range bothFormats {
			t.Run(fmt.Sprintf("%s and %s in %s", x.dialects, x.old, format), func(t *testing.T) {
				m := newMixed(t, x.dialects, format)
				theirs := m
				theirs.Old = x.old
				m.contend(t, start(t, mixedVariable, &theirs), start(t, mixedVariable, &theirs))
			})
		}
	}
}

// TestHoldReal: the same with the real old programs.
func TestHoldReal(t *testing.T) {
	if testing.Short() {
		t.Skip("real old programs are left out of a short run")
	}
	for _, real := range oldprograms.Reals {
		t.Run(real.String(), func(t *testing.T) {
			program, err := real.Install(t.TempDir())
			if err != nil {
				t.Skip(err)
			}
			for _, x := range mixes {
				for _, format := range bothFormats {
					if x.old != real.Dialect {
						continue
					}
					t.Run(fmt.Sprintf("%s in %s", x.dialects, format), func(t *testing.T) {
						m := newMixed(t, x.dialects, format)
						m.contend(t, program.Worker(m.Lock, m.Turns), program.Worker(m.Lock, m.Turns))
					})
				}
			}
		})
	}
}

// newMixed is a process of ours. Ours and the old ones take some turns each; in a
// long run 200 or what they get in a minute.
func newMixed(t *testing.T, dialects string, format protocol.Format) mixed {
	dir := t.TempDir()
	turns := oldprograms.Turns{Log: filepath.Join(dir, "log"), Turns: 10, Most: time.Minute, All: 4}
	if os.Getenv("GENLOCK_LONG") != "" {
		turns.Turns = 200
	}
	return mixed{Lock: filepath.Join(dir, "k.lock"), Turns: turns, Format: format, Dialects: dialects}
}

// contend lets two of ours and two old programs take turns.
func (m mixed) contend(t *testing.T, old ...*exec.Cmd) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	all := make(chan oldprograms.Stats, 4)
	for _, cmd := range append(old, start(t, mixedVariable, &m), start(t, mixedVariable, &m)) {
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
		wg.Go(func() {
			defer stop()
			var stats oldprograms.Stats
			if err := errors.Join(cmd.Wait(), json.Unmarshal(out.Bytes(), &stats)); err != nil {
				t.Errorf("%s: %v\n%s", cmd.Args, err, errs.String())
			}
			all <- stats
		})
	}
	wg.Wait()
	close(all)
	for stats := range all {
		t.Logf("%+v", stats)
	}
	log, err := os.ReadFile(m.Turns.Log)
	if err != nil {
		t.Fatal(err)
	}
	found := oldprograms.Judge(string(log))
	t.Log(found)
	if len(found.Wrong) > 0 {
		t.Errorf("both hold it, and ours does not know: %q", found.Wrong)
	}
	lease, err := genlock.New(m.Lock, &genlock.Options{Format: m.Format, Dialects: m.Dialects, NoWait: true}).Acquire(t.Context())
	if err != nil {
		t.Fatalf("what is left blocks: %v", err)
	}
	lease.Release()
}
