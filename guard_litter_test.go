//go:build unix

package genlock_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// TestGuardGoesWithTombstone: a guard whose maker never came to take it back goes with
// the tombstone of its generation, since nobody would find it afterwards. (Chaos
// found guards of killed holders that an operator had broken.)
func TestGuardGoesWithTombstone(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "k.lock")
	root, err := generation.OpenOrInit(ctx, path, protocol.TTSC)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tenure, err := generation.Publish(ctx, root, generation.Intent{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tenure.Guard(); err != nil {
		t.Fatal(err)
	}
	f, err := fence.Claim(ctx, root, tenure.Generation())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(retire.Break(ctx, f, retire.Word{By: "test"}), f.Withdraw()); err != nil {
		t.Fatal(err)
	}
	if gone, err := retire.Bury(ctx, root, tenure.Generation()); gone || err != nil {
		t.Fatalf("the tombstone of a live holder: gone %v, %v", gone, err)
	}
	if n := len(guards(t, path)); n != 1 {
		t.Errorf("%d guards while the holder lives, want 1", n)
	}
	if err := tenure.Release(); !errors.Is(err, generation.ErrLost) {
		t.Fatalf("released: %v, want %v", err, generation.ErrLost)
	}
	if n := len(guards(t, path)); n != 0 {
		t.Errorf("%d guards when the tombstone is gone, want none", n)
	}
}
