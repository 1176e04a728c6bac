//go:build unix

package genlock_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

const mixedVariable = "GENLOCK_TEST_MIXED"

// mixed is one process among old and new ones that take turns at one lock.
type mixed struct {
	Lock, Section, Log string
	Format             protocol.Format
	Dialects           string
	// Old is the old program that it emulates; "" is ours.
	Old   string
	Turns int
}

func (m *mixed) run() error {
	turn := m.ours
	if m.Old != "" {
		turn = m.old()
	}
	took, longest, lost := time.Duration(0), time.Duration(0), 0
	for n := range m.Turns {
		began := time.Now()
		err := turn(fmt.Sprintf("%s:%d:%d", m.kind(), os.Getpid(), n))
		if errors.Is(err, genlock.ErrLost) {
			lost++
		} else if err != nil {
			return err
		}
		d := time.Since(began)
		took, longest = took+d, max(longest, d)
		time.Sleep(rand.N(time.Millisecond)) // so that the others get a turn
	}
	fmt.Printf("%s: %d turns in %s, the longest %s, %d lost\n", m.kind(), m.Turns, took.Round(time.Millisecond), longest.Round(time.Millisecond), lost)
	return nil
}

func (m *mixed) kind() string {
	if m.Old == "" {
		return "ours"
	}
	return m.Old
}

func (m *mixed) ours(me string) error {
	lock := genlock.New(m.Lock, &genlock.Options{Format: m.Format, Dialects: m.Dialects, Hold: true})
	lease, err := lock.Acquire(context.Background())
	if err != nil {
		return err
	}
	m.work(me)
	cerr := lease.Check()
	rerr := lease.Release()
	if errors.Is(cerr, genlock.ErrLost) || errors.Is(rerr, genlock.ErrLost) {
		m.note("lost " + me)
	}
	return rerr
}

func (m *mixed) old() func(me string) error {
	host, _ := os.Hostname()
	self := oldprograms.Self{FS: vfs.OS(), Host: host, PID: os.Getpid(), Now: time.Now,
		Alive: func(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH },
		NewID: func() string {
			id, err := protocol.NewID()
			if err != nil {
				panic(err)
			}
			return string(id)
		}}
	program := map[string]oldprograms.Program{"mkdir": &oldprograms.Mkdir{Self: self}, "v2": &oldprograms.V2{Self: self},
		"token": &oldprograms.Token{Self: self}, "heartbeat": &oldprograms.Heartbeat{Self: self}}[m.Old]
	return func(me string) error {
		for {
			// What an old program throws is its own matter; its user tries again.
			if got, err := program.Try(m.Lock); got && err == nil {
				m.work(me)
				program.Release(m.Lock)
				return nil
			}
			time.Sleep(rand.N(3 * time.Millisecond)) // it polls
		}
	}
}

// work is the critical section: a file that must not exist.
func (m *mixed) work(me string) {
	f, err := os.OpenFile(m.Section, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		other, rerr := os.ReadFile(m.Section)
		if rerr != nil || len(other) == 0 {
			other = []byte("?")
		}
		m.note("overlap " + me + " " + string(other))
		return
	}
	f.WriteString(me)
	f.Close()
	time.Sleep(rand.N(time.Millisecond)) // the work, not a wait
	os.Remove(m.Section)
}

func (m *mixed) note(line string) {
	f, err := os.OpenFile(m.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	f.WriteString(line + "\n")
}

// TestHoldMixed: in hold mode old programs and ours exclude each other, in every
// dialect and in both formats. An old program that breaks its own rules can take
// our old lock away; then we have to know it.
func TestHoldMixed(t *testing.T) {
	turns, each := 40, 2
	switch {
	case os.Getenv("GENLOCK_LONG") != "":
		turns, each = 200, 4
	case testing.Short():
		turns = 10
	}
	for _, tt := range []struct{ dialects, old string }{
		{"mkdir", "mkdir"}, {"mkdir,v2", "v2"}, {"mkdir,v2", "mkdir"}, {"token=here", "token"}, {"heartbeat=10s", "heartbeat"},
	} {
		for _, format := range []protocol.Format{protocol.Genlock, protocol.TTSC} {
			t.Run(fmt.Sprintf("%s and %s in %s", tt.dialects, tt.old, format), func(t *testing.T) {
				dir := t.TempDir()
				m := mixed{Lock: filepath.Join(dir, "k.lock"), Section: filepath.Join(dir, "section"),
					Log: filepath.Join(dir, "log"), Format: format, Dialects: tt.dialects, Turns: turns}
				theirs := m
				theirs.Old = tt.old
				runMixed(t, append(slices.Repeat([]mixed{m}, each), slices.Repeat([]mixed{theirs}, each)...)...)
				judgeMixed(t, m.Log)
				lease, err := genlock.New(m.Lock, &genlock.Options{Format: format, Dialects: tt.dialects, NoWait: true}).Acquire(t.Context())
				if err != nil {
					t.Fatalf("what is left blocks: %v", err)
				}
				lease.Release()
			})
		}
	}
}

func runMixed(t *testing.T, all ...mixed) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for _, m := range all {
		cmd := start(t, mixedVariable, &m)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
		wg.Go(func() {
			defer stop()
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v\n%s", m.kind(), err, errs.String())
			}
			t.Log(strings.TrimSpace(out.String()))
		})
	}
	wg.Wait()
}

// judgeMixed allows overlaps among old programs, and with ours only if ours found
// out that its old lock was taken away.
func judgeMixed(t *testing.T, log string) {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	lost := make(map[string]bool)
	for line := range strings.Lines(string(data)) {
		if word := strings.Fields(line); word[0] == "lost" {
			lost[word[1]] = true
		}
	}
	theirs, taken := 0, 0
	for line := range strings.Lines(string(data)) {
		word := strings.Fields(line)
		switch {
		case word[0] != "overlap":
		case !strings.Contains(line, "ours:"):
			theirs++
		case strings.Count(line, "ours:") == 2:
			t.Errorf("two of ours hold it: %s", line)
		case len(word) > 2 && (lost[word[1]] || lost[word[2]]):
			taken++
		case len(word) > 2 && word[2] == "?":
			theirs++ // whoever it was had left before its name could be read
		default:
			t.Errorf("an old program and ours hold it, and ours does not know: %s", line)
		}
	}
	t.Logf("overlaps: %d among old programs, %d after one had taken our old lock away; taken away: %d", theirs, taken, len(lost))
}

// TestHoldLost: losing the old lock, to an old program or by hand, is losing the lease.
func TestHoldLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.lock")
	lock := genlock.New(path, &genlock.Options{Dialects: "mkdir", Hold: true})
	lease, err := lock.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Check(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := lease.Check(); !errors.Is(err, genlock.ErrLost) || !errors.Is(err, legacy.ErrLost) {
		t.Errorf("check without the old lock: %v", err)
	}
	ctx := lease.Context(t.Context())
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, genlock.ErrLost) {
		t.Errorf("the context ended with %v", cause)
	}
	if err := lease.Release(); !errors.Is(err, genlock.ErrLost) {
		t.Errorf("released: %v", err)
	}
	if lease, err := lock.TryAcquire(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	} else if err := lease.Release(); err != nil {
		t.Error(err)
	}
}

// TestDialectOptions: what cannot be right is reported by the first use.
func TestDialectOptions(t *testing.T) {
	for _, o := range []genlock.Options{{Dialects: "flock"}, {Dialects: "mkdir,mkdir"}, {Hold: true},
		{Dialects: "token,heartbeat", Hold: true}} {
		if _, err := genlock.New(filepath.Join(t.TempDir(), "k.lock"), &o).TryAcquire(t.Context()); !errors.Is(err, genlock.ErrUsage) {
			t.Errorf("%q, hold %v: %v", o.Dialects, o.Hold, err)
		}
	}
}
