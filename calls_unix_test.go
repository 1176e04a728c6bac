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
// lists, in that order, and no others.
func TestCalls(t *testing.T) {
	dir := t.TempDir()
	var calls []string
	world := *env.From(context.Background())
	world.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		calls = append(calls, nameless(dir, op))
		return nil
	}})
	ids := 0
	world.NewID = func() (protocol.ID, error) {
		ids++
		return protocol.ID(fmt.Sprintf("%032x", 64*ids+1)), nil // no turn at collecting
	}
	ctx := env.With(context.Background(), world.Keeping())
	lock := genlock.New(filepath.Join(dir, "L"), nil)
	for range 3 { // the first turn makes the root and opens it, the second learns where
		calls = nil
		lease, err := lock.TryAcquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := lease.Release(); err != nil {
			t.Fatal(err)
		}
	}
	want := documentedCalls(t)
	for i := range max(len(calls), len(want)) {
		got, should := "nothing", "nothing"
		if i < len(calls) {
			got = calls[i]
		}
		if i < len(want) {
			should = want[i]
		}
		if got != should {
			t.Errorf("call %d is %s, want %s", i+1, got, should)
		}
	}
	if t.Failed() {
		t.Logf("%d calls:\n%s", len(calls), strings.Join(calls, "\n"))
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

func documentedCalls(t *testing.T) (calls []string) {
	t.Helper()
	for _, row := range callRow.FindAllStringSubmatch(read(t, "docs/performance.md"), -1) {
		calls = append(calls, row[1])
	}
	return calls
}
