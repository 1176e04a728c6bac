package cases

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// recover starts anew on a copy. It returns in words what somebody met there.
func (c snapshot) recover(t *testing.T, d disk, w world) string {
	root, err := d.mountRepaired(t, c.file)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	l := look{Lock: filepath.Join(pathOf(root), lockName), World: w, Try: true}
	v := l.look()
	outcome := "takes it by itself: " + v.answer() + ", " + v.Evidence
	if !v.Taken {
		outcome = "an operator unlocks it: " + v.State + ", " + v.Evidence
		v.unlock(t, l)
	}
	if v = l.look(); v.State != "free" || !v.Taken {
		t.Errorf("the turn after that: %s (%s): %s", v.State, v.Evidence, v.Err)
	}
	data, err := os.ReadFile(filepath.Join(pathOf(root), toolName))
	if err == nil && string(data) != whole {
		t.Errorf("the artifact reads %q", data)
	}
	return outcome
}

// unlock does what an operator does about a lock of which nothing is proven.
func (v seen) unlock(t *testing.T, l look) {
	t.Helper()
	if !v.Held || v.State != "undecidable" && v.State != "damaged" || v.Next == "" {
		t.Fatalf("%s (%s), next %q: %s", v.State, v.Evidence, v.Next, v.Err)
	}
	ctx, _ := l.World.in()
	if err := breakGeneration(ctx, l.Lock, v.Generation); err != nil {
		t.Fatal(err)
	}
	if v = l.look(); !v.Taken {
		t.Fatalf("after the break it is %s (%s): %s", v.State, v.Evidence, v.Err)
	}
}

func breakGeneration(ctx context.Context, lock string, id protocol.ID) error {
	root, err := fence.Open(ctx, lock, protocol.Genlock)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := fence.Claim(ctx, root, id)
	if err != nil {
		return err
	}
	if err := retire.Break(ctx, f, retire.Word{By: "operator", Reason: "power loss"}); err != nil {
		return err
	}
	return f.Withdraw()
}
