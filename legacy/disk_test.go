package legacy_test

import (
	"context"
	"path/filepath"
	"testing"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

// The same on the operating system's own file system.
func TestHoldOnDisk(t *testing.T) {
	for _, list := range []string{"mkdir", "v2", "mkdir,v2", "token", "heartbeat"} {
		w := newWorld(t)
		real := filepath.Join(t.TempDir(), "k.lock")
		m := w.proc().env.Machine
		ctx := env.With(context.Background(), &env.Env{FS: vfs.OS(), Machine: m, Clock: wall{},
			NewID: protocol.NewID, Leases: &env.Leases{}})
		set := mustParse(t, list)
		for range 3 {
			mine, err := protocol.NewID()
			w.ok(err)
			place := legacy.Place{Lock: real, Mine: mine}
			if done, s, err := set.Clear(ctx, place); len(done) > 0 || s != nil || err != nil {
				t.Fatalf("%s: %v %+v %v", list, done, s, err)
			}
			h, s, err := set.Hold(ctx, place)
			if h == nil {
				t.Fatalf("%s: %+v %v", list, s, err)
			}
			w.ok(h.Check())
			second, err := protocol.NewID()
			w.ok(err)
			if h, s, err := set.Hold(ctx, legacy.Place{Lock: real, Mine: second}); h != nil || err != nil {
				t.Errorf("%s: held twice: %+v %v", list, s, err)
			}
			w.ok(h.Release())
			w.ok(h.Release())
		}
	}
}
