package genlock_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"genlock.dev/genlock"
)

func TestSmoke(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "out", "tool")
	var mu sync.Mutex
	built := 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
			res, err := lock.Do(context.Background(), genlock.Artifact{Path: bin}, func(ctx context.Context, w *genlock.Work) error {
				mu.Lock()
				built++
				mu.Unlock()
				return os.WriteFile(w.Out, []byte("x"), 0o666)
			})
			t.Log(res, err)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if built != 1 {
		t.Error(built)
	}
	ents, _ := os.ReadDir(filepath.Join(dir, "k.lock.v3"))
	for _, e := range ents {
		t.Log(e.Name())
	}
	lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
	for range 1000 {
		l, err := lock.TryAcquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
	}
	o, err := lock.Status(context.Background())
	t.Logf("%+v %v", o, err)
}

func BenchmarkUncontended(b *testing.B) {
	lock := genlock.New(filepath.Join(b.TempDir(), "k.lock"), nil)
	for b.Loop() {
		l, err := lock.TryAcquire(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Release(); err != nil {
			b.Fatal(err)
		}
	}
}
