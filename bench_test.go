package genlock_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// The benchmarks work in TMPDIR. What they are to be compared with is in
// docs/performance.md.

// turnOf is one turn: TryAcquire and Release.
func turnOf(b *testing.B, lock *genlock.Lock) func() error {
	return func() error {
		lease, err := lock.TryAcquire(b.Context())
		if err != nil {
			return err
		}
		return lease.Release()
	}
}

// loop is the body of a benchmark that does one thing.
func loop(b *testing.B, do func() error) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
}

func newLock(b *testing.B) *genlock.Lock {
	return genlock.New(filepath.Join(b.TempDir(), "k.lock"), nil)
}

// BenchmarkUncontended is a turn that nobody else wants.
func BenchmarkUncontended(b *testing.B) { loop(b, turnOf(b, newLock(b))) }

// BenchmarkFirstUse is the first turn of a lock, which makes its root.
func BenchmarkFirstUse(b *testing.B) {
	dir, n := b.TempDir(), 0
	loop(b, func() error {
		n++
		return turnOf(b, genlock.New(filepath.Join(dir, fmt.Sprintf("k%d.lock", n)), nil))()
	})
}

// BenchmarkNextKey is a turn of a lock that was used before, but not just now: of a
// thousand locks that take turns. None of them finds its root open.
func BenchmarkNextKey(b *testing.B) {
	dir, n := b.TempDir(), 0
	turn := func() error {
		n++
		return turnOf(b, genlock.New(filepath.Join(dir, fmt.Sprintf("k%d.lock", n%1000)), nil))()
	}
	for range 1000 {
		if err := turn(); err != nil {
			b.Fatal(err)
		}
	}
	loop(b, turn)
}

// BenchmarkStatus looks at a lock that is free, and at one that is held.
func BenchmarkStatus(b *testing.B) {
	for _, state := range []string{"free", "held"} {
		b.Run(state, func(b *testing.B) {
			lock := newLock(b)
			lease, err := lock.TryAcquire(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer lease.Release()
			if state == "free" {
				lease.Release()
			}
			loop(b, func() error {
				_, err := lock.Status(b.Context())
				return err
			})
		})
	}
}

// BenchmarkAdopt is Do for an artifact that is there.
func BenchmarkAdopt(b *testing.B) {
	lock := newLock(b)
	a := genlock.Artifact{Path: filepath.Join(b.TempDir(), "tool")}
	if err := os.WriteFile(a.Path, []byte("built"), 0o666); err != nil {
		b.Fatal(err)
	}
	loop(b, func() error {
		_, err := lock.Do(b.Context(), a, func(context.Context, *genlock.Work) error {
			return fmt.Errorf("%s is built again", a.Path)
		})
		return err
	})
}

// BenchmarkKeys has 64 goroutines that each take turns with a lock of their own.
func BenchmarkKeys(b *testing.B) {
	dir, n := b.TempDir(), new(atomic.Int64)
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		turn := turnOf(b, genlock.New(filepath.Join(dir, fmt.Sprintf("k%d.lock", n.Add(1))), nil))
		for pb.Next() {
			if err := turn(); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkOneKey has 1,000 goroutines that take turns with one lock.
func BenchmarkOneKey(b *testing.B) {
	lock := newLock(b)
	b.SetParallelism(500)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			lease, err := lock.Acquire(b.Context())
			if err == nil {
				err = lease.Release()
			}
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// plantTombstones leaves n tombstones of another program, which nobody collects:
// what is in them proves nothing.
func plantTombstones(b *testing.B, lock *genlock.Lock, n int) {
	b.Helper()
	retired := filepath.Join(lock.Path()+protocol.RootSuffix, protocol.RetiredName)
	for i := range n {
		id := protocol.ID(fmt.Sprintf("%032x", i+1))
		dir := filepath.Join(retired, string(id))
		rec := protocol.Record{Generation: id, Nonce: id, Hostname: "elsewhere", PID: 1}
		data, err := rec.Encode()
		if err == nil {
			err = os.Mkdir(dir, 0o777)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, protocol.GenerationName), id.Line(), 0o666)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, protocol.RecordName), data, 0o666)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
