package operate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// manyKeys makes n idle locks, as they look after their first use.
func manyKeys(t testing.TB, dir string, n int) {
	t.Helper()
	for i := range n {
		root := filepath.Join(dir, keyName(i)+protocol.RootSuffix)
		if err := os.MkdirAll(filepath.Join(root, protocol.RetiredName), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, protocol.MarkerName), protocol.Genlock.Marker(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// manyKeysVariable says how many locks the tests of many make. Few by default, since
// making them takes longest.
const manyKeysVariable = "GENLOCK_KEYS"

func howMany(few int) (n int, long bool) {
	if n, err := strconv.Atoi(os.Getenv(manyKeysVariable)); err == nil {
		return n, true
	}
	return few, false
}

// verbs are what a copy of the test binary does instead of building.
var verbs = map[string]func(dir string) error{
	"list": func(dir string) error {
		n := 0
		err := operate.List(context.Background(), operate.Target{Path: dir}, func(o *observer.Observation) error {
			n++
			return nil
		}, nil)
		return errors.Join(err, enough(n))
	},
	"doctor": func(dir string) error {
		n, err := operate.Doctor(context.Background(), operate.Target{Path: dir}, func(f operate.Finding) error {
			return fmt.Errorf("%+v", f)
		})
		return errors.Join(err, enough(n))
	},
	"prune": func(dir string) error {
		done, err := operate.Prune(context.Background(), operate.Target{Path: dir}, operate.PruneOptions{
			Removed: func(operate.Removal) error { return nil }, Progress: func(operate.Pruned) {}})
		return errors.Join(err, enough(done.Locks))
	},
	"turns": turnsUntil,
}

func enough(n int) error {
	if n == 0 {
		return errors.New("saw no lock")
	}
	return nil
}

// TestManyIdle: a look at an idle lock costs about what find(1) spends on its
// directory, and memory does not grow with the number of locks.
func TestManyIdle(t *testing.T) {
	keys, long := howMany(500)
	dir, tenth := t.TempDir(), t.TempDir()
	manyKeys(t, dir, keys)
	manyKeys(t, tenth, keys/10)
	find := median(t, func() {
		if err := exec.Command("find", dir, "-type", "f").Run(); err != nil {
			t.Skip(err)
		}
	})
	for _, verb := range []string{"list", "doctor", "prune"} {
		var few, many int64
		took := median(t, func() { many = peak(t, verb, dir) })
		few = peak(t, verb, tenth)
		t.Logf("%d keys: %s %v (%.1f x find, %v); at most %d KiB, with a tenth of the keys %d KiB", keys, verb, took,
			float64(took)/float64(find), find, many, few)
		if long && many > few*3/2 {
			t.Errorf("%s takes memory that grows with the keys", verb)
		}
	}
}

// peak is the most memory, in KiB, that a copy of this program had while it did verb;
// 0 where the system does not tell.
func peak(t *testing.T, verb, dir string) (kib int64) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), workerVariable+"="+dir, verbVariable+"="+verb)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", verb, err, out)
	}
	fmt.Sscanf(string(out), "VmHWM: %d", &kib)
	return kib
}

// tellPeak prints the line of /proc that says how much memory we have had at most.
func tellPeak() {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "VmHWM:") {
			fmt.Print(line)
		}
	}
}

func median(t testing.TB, f func()) time.Duration {
	t.Helper()
	var took []time.Duration
	for range 5 {
		begin := time.Now()
		f()
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took[2]
}
