package tree_test

import (
	"context"
	"path/filepath"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// TestTombstoneVanishes: before any single step of reading a tombstone somebody may
// delete it. Then there is none, which is neither damage nor an error (rule 6).
// (Chaos found that status reported "no such file or directory".)
func TestTombstoneVanishes(t *testing.T) {
	steps := 0
	for at := 1; at == 1 || at <= steps; at++ {
		path := filepath.Join(t.TempDir(), "k.lock")
		lease, err := genlock.New(path, nil).Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer lease.Release()
		n, counting, id := 0, false, lease.Generation()
		e := *env.From(t.Context())
		e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(faultfs.Op) error {
			if !counting {
				return nil
			}
			if n++; n != at {
				return nil
			}
			counting = false
			defer func() { counting = true }()
			return deleteTombstone(path, id)
		}})
		root, err := fence.Open(env.With(context.Background(), &e), path, protocol.Genlock)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		r := seal.Open(root)
		retired, err := r.Retired()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Dir.Rename(protocol.CurrentName, retired, string(id), vfs.Plain); err != nil {
			t.Fatal(err)
		}
		retired.Close()
		counting = true
		g, err := r.Tombstone(id)
		counting = false
		if err != nil {
			t.Errorf("deleted before step %d: %v", at, err)
		}
		if g != nil {
			if g.Problem != "" {
				t.Errorf("deleted before step %d: %s", at, g.Problem)
			}
			g.Close()
		}
		steps = max(steps, n)
	}
	if steps < 5 {
		t.Errorf("reading a tombstone took %d steps, so this tries little", steps)
	}
}

// deleteTombstone deletes it as an operator does.
func deleteTombstone(lock string, id protocol.ID) error {
	d, err := vfs.OS().OpenDir(filepath.Join(lock+protocol.RootSuffix, protocol.RetiredName))
	if err != nil {
		return err
	}
	defer d.Close()
	return vfs.RemoveAll(d, string(id), nil)
}
