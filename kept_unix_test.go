//go:build unix

package genlock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// TestKeptRoot: whatever people do to a lock between two turns, the root that was kept
// open makes no difference. The second turn comes to the same as in a world that
// keeps nothing, and leaves the same behind.
func TestKeptRoot(t *testing.T) {
	changes := map[string]func(root string) error{
		"nothing": func(string) error { return nil },
		"deleted": os.RemoveAll,
		"moved":   func(root string) error { return os.Rename(root, root+".aside") },
		"replaced": func(root string) error {
			if err := os.Rename(root, root+".aside"); err != nil {
				return err
			}
			if err := os.CopyFS(root, os.DirFS(root+".aside")); err != nil {
				return err
			}
			return removeCandidates(root) // of what is kept, litter would be copied
		},
		"a link to it": func(root string) error {
			if err := os.Rename(root, root+".aside"); err != nil {
				return err
			}
			return os.Symlink(root+".aside", root)
		},
		"its directory moved": func(root string) error { return os.Rename(filepath.Dir(root), filepath.Dir(root)+".aside") },
		"too new":             writeMarker("genlock-v4\n"),
		"another format":      writeMarker("other-lock-v3\n"),
		"no marker":           func(root string) error { return os.Remove(filepath.Join(root, protocol.MarkerName)) },
		"no tombstones":       func(root string) error { return os.Remove(filepath.Join(root, protocol.RetiredName)) },
		"tombstones elsewhere": func(root string) error {
			retired := filepath.Join(root, protocol.RetiredName)
			if err := os.Remove(retired); err != nil {
				return err
			}
			return os.Symlink(filepath.Dir(root), retired)
		},
		"no queue":   func(root string) error { return os.Remove(filepath.Join(root, protocol.QueueName)) },
		"other mode": func(root string) error { return os.Chmod(root, 0o700) },
		"held by another": func(root string) error {
			return os.MkdirAll(filepath.Join(root, protocol.CurrentName, "strange"), 0o777)
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			kept, keptTree := secondTurn(t, true, change)
			anew, anewTree := secondTurn(t, false, change)
			if kept != anew || keptTree != anewTree {
				t.Errorf("with a kept root: %s\n%swithout: %s\n%s", kept, keptTree, anew, anewTree)
			}
		})
	}
}

func removeCandidates(root string) error {
	names, err := filepath.Glob(filepath.Join(root, protocol.CandidateName("*")))
	for _, name := range names {
		err = errors.Join(err, os.RemoveAll(name))
	}
	return err
}

func writeMarker(text string) func(string) error {
	return func(root string) error {
		return os.WriteFile(filepath.Join(root, protocol.MarkerName), []byte(text), 0o666)
	}
}

// secondTurn tells what comes of a turn after a change that followed another turn.
func secondTurn(t *testing.T, keeping bool, change func(root string) error) (outcome, tree string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cache")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	world := *env.From(context.Background())
	opened := 0
	world.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if op.Verb == faultfs.OpenParent {
			opened++
		}
		return nil
	}})
	if keeping {
		world.Keeping()
	}
	ctx := env.With(context.Background(), &world)
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	turn := func() error {
		lease, err := lock.TryAcquire(ctx)
		if err != nil {
			return err
		}
		return lease.Release()
	}
	for range 2 {
		opened = 0
		if err := turn(); err != nil {
			t.Fatal(err)
		}
	}
	if keeping != (opened == 0) {
		t.Fatalf("keeping is %t, and the root was opened %d times", keeping, opened)
	}
	if err := change(lock.Path() + protocol.RootSuffix); err != nil {
		t.Fatal(err)
	}
	outcome = strings.ReplaceAll(fmt.Sprint(turn()), filepath.Dir(dir), "")
	world.CloseKept()
	return outcome, strings.ReplaceAll(snapshot(t, filepath.Dir(dir)), filepath.Dir(dir), "")
}
