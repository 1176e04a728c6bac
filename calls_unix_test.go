//go:build unix

package genlock_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// TestCalls: a turn that nobody else wants makes the calls that docs/performance.md
// lists, in that order, and no others: the first turn of a process, and those that
// follow it at once.
func TestCalls(t *testing.T) {
	dir := t.TempDir()
	lock := genlock.New(filepath.Join(dir, "L"), nil)
	used := newCaller(dir)
	used.turn(t, lock) // makes the root
	first := newCaller(dir)
	compareCalls(t, "its first turn", first.turn(t, lock), documentedCalls(t, "The first turn of a process"))
	for range 2 { // until it has a directory to recycle, and its files open
		first.turn(t, lock)
	}
	compareCalls(t, "a turn after others", first.turn(t, lock), documentedCalls(t, "A turn right after others"))
}

// caller is a process of its own that counts.
type caller struct {
	ctx   context.Context
	calls []string
}

func newCaller(dir string) *caller {
	c := &caller{}
	world := *env.From(context.Background())
	world.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		c.calls = append(c.calls, nameless(dir, op))
		return nil
	}})
	ids := 0
	world.NewID = func() (protocol.ID, error) {
		ids++
		return protocol.ID(fmt.Sprintf("%032x", 64*ids+1)), nil // no turn at collecting
	}
	c.ctx = env.With(context.Background(), world.Keeping())
	return c
}

func (c *caller) turn(t *testing.T, lock *genlock.Lock) []string {
	t.Helper()
	c.calls = nil
	lease, err := lock.TryAcquire(c.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	return c.calls
}

func compareCalls(t *testing.T, what string, calls, want []string) {
	t.Helper()
	for i := range max(len(calls), len(want)) {
		got, should := "nothing", "nothing"
		if i < len(calls) {
			got = calls[i]
		}
		if i < len(want) {
			should = want[i]
		}
		if got != should {
			t.Errorf("%s: call %d is %s, want %s", what, i+1, got, should)
		}
	}
	if t.Failed() {
		t.Logf("%s, %d calls:\n%s", what, len(calls), strings.Join(calls, "\n"))
	}
}

var (
	idInCall      = regexp.MustCompile(`[0-9a-f]{32}`)
	witnessInCall = regexp.MustCompile(`witness\.[<>a-z0-9.]+`)
)

// nameless is an operation without what is different each time.
func nameless(dir string, op faultfs.Op) string {
	s := strings.ReplaceAll(strings.ReplaceAll(op.String(), dir+"/", ""), dir, ".")
	return witnessInCall.ReplaceAllString(idInCall.ReplaceAllString(s, "<id>"), "witness")
}

var callRow = regexp.MustCompile("(?m)^\\| [0-9]+ \\| `([^`]+)` \\|")

// documentedCalls is the table under a heading.
func documentedCalls(t *testing.T, heading string) (calls []string) {
	t.Helper()
	_, section, found := strings.Cut(read(t, "docs/performance.md"), "### "+heading+"\n")
	if !found {
		t.Fatalf("docs/performance.md has no part %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n#")
	for _, row := range callRow.FindAllStringSubmatch(section, -1) {
		calls = append(calls, row[1])
	}
	return calls
}
