package operate_test

import (
	"os"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/protocol"
)

// TestDryRunCountsTheSame: a dry run counts what the run then removes: things, names and
// bytes, of each kind and of all of them in one lock.
func TestDryRunCountsTheSame(t *testing.T) {
	const other = protocol.ID("0192f0c1d2e37abc8def0123456789ac")
	abandoned := func(root string) {
		writeSpent(t, path(root, "current"))
		mkdir(t, path(root, "current", protocol.StageName(candidateID), "sub"))
		if err := os.WriteFile(path(root, "current", protocol.StageName(candidateID), "tool"), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tombstone := func(root string) { writeSpentAs(t, path(root, protocol.RetiredName, string(other)), other) }
	candidate := func(root string) {
		name := mkdir(t, path(root, protocol.CandidateName(other)))
		if err := os.WriteFile(path(name, protocol.GenerationName), other.Line(), 0o666); err != nil {
			t.Fatal(err)
		}
		long := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	young := func(root string) { mkdir(t, path(root, protocol.CandidateName(candidateID))) }
	for name, states := range map[string][]func(string){
		"idle": nil, "abandoned": {abandoned}, "tombstone": {tombstone}, "candidate": {candidate}, "young": {young},
		"all": {abandoned, tombstone, candidate}, "all but one": {abandoned, tombstone, young},
	} {
		for _, roots := range []bool{false, true} {
			dir := t.TempDir()
			lease, err := genlock.New(path(dir, "k.lock"), nil).Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := lease.Release(); err != nil {
				t.Fatal(err)
			}
			for _, state := range states {
				state(path(dir, "k.lock.v3"))
			}
			would := prune(t, dir, operate.PruneOptions{DryRun: true, Roots: roots})
			done := prune(t, dir, operate.PruneOptions{Roots: roots})
			if would != done {
				t.Errorf("%s, roots %v: a dry run says %+v, and the run %+v", name, roots, would, done)
			}
		}
	}
}
