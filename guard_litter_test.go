//go:build unix

package genlock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// TestGuardGoesWithTombstone: the holder is killed, an operator breaks its generation
// while its command goes on, and nobody takes the guard back. It goes with the
// tombstone, once the command has ended, since nobody would find it afterwards.
// (Chaos found guards that stayed for ever.)
func TestGuardGoesWithTombstone(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "k.lock")
	holder := start(t, orphanerVariable, &orphaner{Lock: path, Format: protocol.TTSC})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	holder.Stdin = r
	holder.Run() // killed
	r.Close()
	seen, err := observer.Look(ctx, path, protocol.TTSC)
	if err != nil || seen.State != observer.Held {
		t.Fatalf("while the command runs: %s, %v", seen.State, err)
	}
	root, err := fence.Open(ctx, path, protocol.TTSC)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := fence.Claim(ctx, root, seen.Generation)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(retire.Break(ctx, f, retire.Word{By: "test"}), f.Withdraw()); err != nil {
		t.Fatal(err)
	}
	if gone, err := retire.Bury(ctx, root, seen.Generation); gone || err != nil || len(guards(t, path)) != 1 {
		t.Fatalf("while the command runs: tombstone gone %v, %v, %d guards", gone, err, len(guards(t, path)))
	}
	w.Close() // the command ends
	for gone := false; !gone; {
		if gone, err = retire.Bury(ctx, root, seen.Generation); err != nil || t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
	if n := len(guards(t, path)); n != 0 {
		t.Errorf("%d guards are left when the tombstone is gone", n)
	}
}
