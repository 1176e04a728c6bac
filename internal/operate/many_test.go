package operate_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/protocol"
)

const (
	manyBuilders = 8
	busyKeys     = 40 // of the many, on which the builders work
	stopName     = "stop"
	turnsName    = "turns."
)

func keyName(i int) string { return fmt.Sprintf("key-%06d.lock", i) }

// turnsUntil builds on random keys until it is told to stop, and leaves a file that
// says that it has built at all.
func turnsUntil(dir string) error {
	parent := os.Getppid()
	for turn := 0; ; turn++ {
		if _, err := os.Stat(filepath.Join(dir, stopName)); err == nil || os.Getppid() != parent {
			return nil
		}
		if err := oneTurn(filepath.Join(dir, keyName(rand.IntN(busyKeys)))); err != nil {
			return fmt.Errorf("turn %d: %w", turn, err)
		}
		if turn == 0 {
			if err := os.WriteFile(filepath.Join(dir, turnsName+fmt.Sprint(os.Getpid())), nil, 0o666); err != nil {
				return err
			}
		}
	}
}

// TestPruneManyBesideBuilders: a cache of many keys, of which a tenth have remains of
// three generations each, is cleaned beside eight builders, and then emptied beside
// them. Nobody overlaps, nobody fails, and what is left is bounded and counted. Of very
// many keys only the first part is played: to empty a cache takes every lock once.
func TestPruneManyBesideBuilders(t *testing.T) {
	keys, _ := howMany(300)
	dir := t.TempDir()
	manyKeys(t, dir, keys)
	littered := litter(t, dir, keys, 10)
	ended := make(chan error, manyBuilders)
	for range manyBuilders {
		startWorker(t, dir, "turns", ended)
	}
	defer func() {
		if err := os.WriteFile(filepath.Join(dir, stopName), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		for range manyBuilders {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}()
	untilBuilding(t, dir, ended)
	began := time.Now()
	done := prune(t, dir, operate.PruneOptions{})
	t.Logf("prune of %d keys: %+v in %v", keys, done, time.Since(began))
	if done.Locks < keys || done.Removed < littered {
		t.Errorf("%+v, want at least %d locks and %d things", done, keys, littered)
	}
	if n := tombstonesIn(t, dir, keys); n > 0 {
		t.Errorf("%d tombstones are left in keys that nobody uses", n)
	}
	if keys > 10000 {
		return
	}
	began = time.Now()
	done = prune(t, dir, operate.PruneOptions{Roots: true})
	t.Logf("with roots: %+v in %v", done, time.Since(began))
	if left, err := filepath.Glob(filepath.Join(dir, "*"+protocol.RootSuffix)); err != nil || len(left) > busyKeys {
		t.Errorf("%d roots are left, of which %d may be in use (%v)", len(left), busyKeys, err)
	}
}

// litter leaves three spent generations in every nth root, and counts those in keys that
// nobody uses: in the others a builder may be first to collect them.
func litter(t *testing.T, dir string, keys, nth int) (n int) {
	t.Helper()
	for i := 0; i < keys; i += nth {
		for g := range 3 {
			id := protocol.ID(fmt.Sprintf("%s%d", candidateID[:31], g))
			writeSpentAs(t, filepath.Join(dir, keyName(i)+protocol.RootSuffix, protocol.RetiredName, string(id)), id)
			if i >= busyKeys {
				n++
			}
		}
	}
	return n
}

// untilBuilding waits until each builder has had a turn.
func untilBuilding(t *testing.T, dir string, ended chan error) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if had, _ := filepath.Glob(filepath.Join(dir, turnsName+"*")); len(had) == manyBuilders {
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatal(errors.Join(errors.New("a builder ended"), err))
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("the builders do not come to build")
		}
	}
}

func tombstonesIn(t *testing.T, dir string, keys int) (n int) {
	t.Helper()
	for i := busyKeys; i < keys; i++ {
		entries, err := os.ReadDir(filepath.Join(dir, keyName(i)+protocol.RootSuffix, protocol.RetiredName))
		if err != nil {
			t.Fatal(err)
		}
		n += len(entries)
	}
	return n
}
