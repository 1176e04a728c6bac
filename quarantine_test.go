//go:build unix

package genlock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// TestQuarantinedNamesWhy: a guard that cannot be read keeps the lock of a holder that
// was killed, and ends the wait at once, also of those who would wait for ever.
func TestQuarantinedNamesWhy(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "k.lock")
	dead := worker{Lock: path, Section: filepath.Join(dir, "section"), Format: protocol.TTSC, Turns: 1, Die: 1}
	if err := dead.command(t).Run(); err == nil {
		t.Fatal("the holder was not killed")
	}
	lock := genlock.New(path, &genlock.Options{Format: protocol.TTSC})
	seen, err := lock.Status(context.Background())
	if err != nil || seen.Generation == "" {
		t.Fatalf("%v, %v", seen, err)
	}
	guards := filepath.Join(path+".v3", protocol.GuardsName)
	if err := os.MkdirAll(guards, 0o777); err != nil {
		t.Fatal(err)
	}
	name := (&protocol.Guard{TaskToken: "task", BoundaryToken: "boundary"}).Name()
	if err := os.WriteFile(filepath.Join(guards, name), []byte("not JSON"), 0o666); err != nil {
		t.Fatal(err)
	}
	lease, err := lock.Acquire(context.Background())
	if err == nil {
		lease.Release()
		t.Fatal("the lock was taken beside a guard")
	}
	var q *retire.QuarantinedError
	if !errors.As(err, &q) || !errors.Is(err, genlock.ErrQuarantined) {
		t.Fatal(err)
	}
	if q.Generation != seen.Generation || q.Why == "" {
		t.Errorf("%+v", q)
	}
}
