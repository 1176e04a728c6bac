package evidence

import (
	"sync"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// TestSelfTestForgetsRefusals: a lock server that is away for a moment is not
// remembered as a file system that cannot lock.
func TestSelfTestForgetsRefusals(t *testing.T) {
	m := &system{read: sync.OnceValue(func() *Self { return newSelf(1) })}
	var fault error
	hooks := faultfs.Hooks{Before: func(op faultfs.Op) error {
		if op.Verb == faultfs.Flock && op.How == "shared" {
			return fault
		}
		return nil
	}}
	dir, err := faultfs.Wrap(vfs.OS(), hooks).OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for _, step := range []struct {
		fault error
		want  string
	}{
		{syscall.ENOLCK, protocol.WitnessNone},
		{nil, protocol.WitnessFlock},
		{syscall.ENOLCK, protocol.WitnessFlock}, // not asked again
	} {
		fault = step.fault
		id, err := protocol.NewID()
		if err != nil {
			t.Fatal(err)
		}
		f, p, err := TakeWitness(m, dir, id, id, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if p.Witness != step.want {
			t.Errorf("with %v the record says %s, want %s", step.fault, p.Witness, step.want)
		}
	}
}
