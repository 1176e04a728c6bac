package genlock_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"genlock.dev/genlock"
)

// tempDir stands for the directory of a cache, which has to exist.
func tempDir() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "genlock")
	if err != nil {
		log.Fatal(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

// buildTool is the example of the README; a test compares the two.
func buildTool(ctx context.Context, cache, pkg string) (string, error) {
	bin := filepath.Join(cache, "bin", filepath.Base(pkg))
	lock := genlock.New(genlock.Path(cache, pkg), nil)
	res, err := lock.Do(ctx, genlock.Artifact{Path: bin}, func(ctx context.Context, w *genlock.Work) error {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", w.Out, pkg)
		cmd.Stderr = os.Stderr
		return w.Run(cmd)
	})
	if err == nil {
		fmt.Println(res.How, filepath.Base(bin)) // "built", or "adopted" if somebody else had
	}
	return bin, err
}

// One process builds a program, and the next one adopts it.
func Example() {
	cache, remove := tempDir()
	defer remove()
	for range 2 {
		if _, err := buildTool(context.Background(), cache, "./internal/peer"); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// built peer
	// adopted peer
}

func ExampleLock_Do() {
	cache, remove := tempDir()
	defer remove()
	lock := genlock.New(genlock.Path(cache, "greeting"), nil)
	greeting := genlock.Artifact{Path: filepath.Join(cache, "out", "greeting.txt")}

	for range 3 {
		res, err := lock.Do(context.Background(), greeting, func(_ context.Context, w *genlock.Work) error {
			// w.Out does not exist yet, and nobody else sees it.
			return os.WriteFile(w.Out, []byte("hello\n"), 0o666)
		})
		fmt.Println(res.How, err)
	}
	// Output:
	// built <nil>
	// adopted <nil>
	// adopted <nil>
}

func ExampleLock_With() {
	cache, remove := tempDir()
	defer remove()
	lock := genlock.New(filepath.Join(cache, "index.lock"), nil)

	err := lock.With(context.Background(), func(ctx context.Context, lease *genlock.Lease) error {
		// ctx ends when the lock is lost. The lease names this tenure.
		fmt.Println("held:", lease.Check() == nil)

		// Whoever holds a lock cannot wait for it.
		_, err := lock.Acquire(ctx)
		fmt.Println("nested:", errors.Is(err, genlock.ErrNested))
		return nil
	})
	fmt.Println(err)
	// Output:
	// held: true
	// nested: true
	// <nil>
}

func ExampleLock_TryAcquire() {
	cache, remove := tempDir()
	defer remove()
	path := filepath.Join(cache, "index.lock")

	lease, err := genlock.New(path, nil).TryAcquire(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	_, err = genlock.New(path, nil).TryAcquire(context.Background())
	var held *genlock.HeldError
	fmt.Println(errors.Is(err, genlock.ErrHeld), errors.As(err, &held))

	if err := lease.Release(); err != nil {
		log.Fatal(err)
	}
	next, err := genlock.New(path, nil).TryAcquire(context.Background())
	fmt.Println(err)
	fmt.Println("another generation:", next.Generation() != lease.Generation())
	next.Release()
	// Output:
	// true true
	// <nil>
	// another generation: true
}

func ExampleLock_Status() {
	cache, remove := tempDir()
	defer remove()
	lock := genlock.New(filepath.Join(cache, "index.lock"), nil)
	seen, err := lock.Status(context.Background())
	fmt.Println(seen.State, err)

	lease, err := lock.Acquire(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer lease.Release()
	seen, err = lock.Status(context.Background())
	fmt.Println(seen.State, seen.Generation == lease.Generation(), err)
	// Output:
	// free <nil>
	// held true <nil>
}

func ExamplePath() {
	fmt.Println(filepath.Base(genlock.Path("cache", "tool/go1.26/linux")))
	fmt.Println(filepath.Base(genlock.Path("cache", "Tool/go1.26/linux")))
	fmt.Println(filepath.Base(genlock.Path("cache", "")))
	// Output:
	// tool-go1-26-linux-8e582bb607ba8336abb46d8f425b4dc7.lock
	// tool-go1-26-linux-441b41aa1ea82bad6225a35ca6a58747.lock
	// e3b0c44298fc1c149afbf4c8996fb924.lock
}
