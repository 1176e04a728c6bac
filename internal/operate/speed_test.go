package operate_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
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
		root := filepath.Join(dir, fmt.Sprintf("key-%06d.lock.v3", i))
		if err := os.MkdirAll(filepath.Join(root, protocol.RetiredName), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, protocol.MarkerName), protocol.Genlock.Marker(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestListIdleSpeed: a look at an idle lock costs about what find(1) spends on its
// directory, and memory does not grow with the number of locks. GENLOCK_KEYS says
// how many locks; few by default, since making them takes longest.
func TestListIdleSpeed(t *testing.T) {
	keys := 500
	if n, err := strconv.Atoi(os.Getenv("GENLOCK_KEYS")); err == nil {
		keys = n
	}
	dir := t.TempDir()
	manyKeys(t, dir, keys)
	list := median(t, func() {
		n := 0
		err := operate.List(context.Background(), operate.Target{Path: dir}, func(o *observer.Observation) error {
			n++
			return nil
		}, nil)
		if err != nil || n != keys {
			t.Fatal(n, err)
		}
	})
	doctor := median(t, func() {
		n, err := operate.Doctor(context.Background(), operate.Target{Path: dir}, func(f operate.Finding) error {
			t.Errorf("%+v", f)
			return nil
		})
		if err != nil || n != keys {
			t.Fatal(n, err)
		}
	})
	find := median(t, func() {
		if err := exec.Command("find", dir, "-type", "f").Run(); err != nil {
			t.Skip(err)
		}
	})
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	t.Logf("%d keys: list %v (%.1f x find), doctor %v (%.1f x), find %v; heap %d KiB", keys, list,
		float64(list)/float64(find), doctor, float64(doctor)/float64(find), find, m.HeapAlloc>>10)
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
