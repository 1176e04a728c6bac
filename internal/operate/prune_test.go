package operate_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/protocol"
)

const candidateID = "0192f0c1d2e37abc8def0123456789ab"

func path(elem ...string) string { return filepath.Join(elem...) }

func mkdir(t *testing.T, name string) string {
	t.Helper()
	if err := os.MkdirAll(name, 0o777); err != nil {
		t.Fatal(err)
	}
	return name
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// TestPruneRootCandidates: a root in flight goes by age; one that was moved away goes
// as soon as whoever moved it is gone, and stays while it works.
func TestPruneRootCandidates(t *testing.T) {
	dir := t.TempDir()
	young := mkdir(t, path(dir, "young.lock.v3.candidate-"+candidateID))
	old := mkdir(t, path(dir, "old.lock.v3.candidate-"+candidateID))
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	lock := path(dir, "moved.lock")
	root, err := generation.OpenOrInit(context.Background(), lock, protocol.Genlock)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tenure, err := generation.Publish(context.Background(), root, generation.Intent{})
	if err != nil {
		t.Fatal(err)
	}
	moved := lock + ".v3.candidate-" + candidateID
	if err := os.Rename(lock+".v3", moved); err != nil {
		t.Fatal(err)
	}
	done := prune(t, dir, operate.PruneOptions{DryRun: true})
	if done.Removed != 1 || !exists(old) {
		t.Errorf("a dry run said %+v", done)
	}
	done = prune(t, dir, operate.PruneOptions{})
	if done.Removed != 1 || done.Kept != 2 || exists(old) || !exists(young) || !exists(path(moved, "current")) {
		t.Errorf("with its remover at work: %+v", done)
	}
	tenure.Release()
	// A remover that died before it released: its generation is spent, the root
	// is young, and nobody can publish it.
	crashed := path(dir, "crashed.lock.v3.candidate-"+candidateID)
	writeSpent(t, path(crashed, "current"))
	if err := os.WriteFile(path(crashed, protocol.MarkerName), protocol.Genlock.Marker(), 0o666); err != nil {
		t.Fatal(err)
	}
	prune(t, dir, operate.PruneOptions{})
	if exists(crashed) || !exists(young) {
		t.Error("the root of a crashed remover stays, or that of a maker at work goes")
	}
}

// writeSpent writes a generation whose holder has recorded that it is done.
func writeSpent(t *testing.T, dir string) {
	t.Helper()
	mkdir(t, dir)
	record := &protocol.Record{Generation: candidateID, Nonce: candidateID, Hostname: "ci-3", PID: 1, StartedAt: "2026-01-02T03:04:05Z",
		Process: &protocol.Process{Witness: protocol.WitnessNone}}
	data, err := record.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{protocol.RecordName: data,
		protocol.GenerationName: record.Generation.Line(), protocol.CompletionName: record.Nonce.Line()} {
		if err := os.WriteFile(path(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPruneRootWhileHeld: the root of a held lock stays, at once; that of a claimed
// tombstone stays, since a late rename has to fail there; and the next holder after a
// removal gets a root of its own.
func TestPruneRootWhileHeld(t *testing.T) {
	dir := t.TempDir()
	lock := path(dir, "k.lock")
	lease, err := genlock.New(lock, nil).Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if done := prune(t, dir, operate.PruneOptions{Roots: true}); done.Removed != 0 || !exists(lock+".v3") {
		t.Errorf("held: %+v", done)
	}
	root, err := fence.Open(context.Background(), lock, protocol.Genlock)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	claim, err := fence.Claim(context.Background(), root, lease.Generation())
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	if done := prune(t, dir, operate.PruneOptions{Roots: true}); done.Kept == 0 || !exists(lock+".v3") {
		t.Errorf("claimed: %+v", done)
	}
	if err := claim.Withdraw(); err != nil {
		t.Fatal(err)
	}
	if done := prune(t, dir, operate.PruneOptions{Roots: true}); done.Kept != 0 || exists(lock+".v3") {
		t.Errorf("idle: %+v", done)
	}
	again, err := genlock.New(lock, nil).TryAcquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}

// TestPruneManyGenerations: of keys with three tombstones each nothing but the roots is
// left, and it is counted. GENLOCK_KEYS=10000 plays the case that was reported.
func TestPruneManyGenerations(t *testing.T) {
	dir := t.TempDir()
	const each = 3
	keys, _ := howMany(50)
	manyKeys(t, dir, keys)
	roots, _ := filepath.Glob(path(dir, "*.v3"))
	for _, root := range roots {
		for i := range each {
			id := candidateID[:31] + string(rune('a'+i))
			writeSpentAs(t, path(root, protocol.RetiredName, id), protocol.ID(id))
		}
	}
	bytes := int64(0)
	done := prune(t, dir, operate.PruneOptions{Removed: func(r operate.Removal) error {
		bytes += r.Bytes
		return nil
	}})
	if done.Removed != keys*each || done.Names != keys*each*4 || done.Bytes != bytes || bytes == 0 || done.Kept != 0 {
		t.Errorf("%+v, %d bytes", done, bytes)
	}
	if left, _ := filepath.Glob(path(dir, "*.v3", "*", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	names := 0
	err := filepath.WalkDir(dir, func(string, fs.DirEntry, error) error { names++; return nil })
	if names != 1+3*keys || err != nil {
		t.Errorf("%d names are left of %d keys, want three each (%v)", names-1, keys, err)
	}
}

func writeSpentAs(t *testing.T, dir string, id protocol.ID) {
	t.Helper()
	writeSpent(t, dir)
	record := &protocol.Record{Generation: id, Nonce: candidateID, Hostname: "ci-3", PID: 1, StartedAt: "2026-01-02T03:04:05Z",
		Process: &protocol.Process{Witness: protocol.WitnessNone}}
	data, err := record.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{protocol.RecordName: data, protocol.GenerationName: id.Line()} {
		if err := os.WriteFile(path(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPruneInterrupted: the walk ends with the context, within a batch of names too, and
// what it did not come to is not called kept.
func TestPruneInterrupted(t *testing.T) {
	dir := t.TempDir()
	const keys, after = 20, 3
	manyKeys(t, dir, keys)
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	done, err := operate.Prune(ctx, operate.Target{Path: dir}, operate.PruneOptions{Roots: true,
		Removed: func(operate.Removal) error { return nil },
		Problem: func(path string, err error) { t.Errorf("%s: %v", path, err) },
		Progress: func(p operate.Pruned) {
			if p.Locks == after {
				cancel(enough)
			}
		}})
	if !errors.Is(err, enough) || done.Locks != after || done.Kept != 0 {
		t.Errorf("%+v, %v; want an end after %d of %d", done, err, after, keys)
	}
}
