package genlock_test

import (
	"path/filepath"
	"testing"

	"genlock.dev/genlock"
)

// BenchmarkUncontended is one turn nobody else wants: TryAcquire and Release.
func BenchmarkUncontended(b *testing.B) {
	lock := genlock.New(filepath.Join(b.TempDir(), "k.lock"), nil)
	for b.Loop() {
		lease, err := lock.TryAcquire(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := lease.Release(); err != nil {
			b.Fatal(err)
		}
	}
}
