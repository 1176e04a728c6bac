package genlock_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

func ExampleNew() {
	cache, remove := tempDir()
	defer remove()
	lock := genlock.New(filepath.Join(cache, "index.lock"), &genlock.Options{
		About:     protocol.About{Label: "nightly index"}, // what those who wait read
		PerHolder: 5 * time.Minute,
	})
	err := lock.With(context.Background(), func(context.Context, *genlock.Lease) error {
		fmt.Println("indexing")
		return nil
	})
	fmt.Println(err)

	// What is wrong with a path is told by the first use.
	_, err = genlock.New("", nil).Acquire(context.Background())
	fmt.Println(errors.Is(err, genlock.ErrUsage))
	// Output:
	// indexing
	// <nil>
	// true
}

func ExampleCloseIdle() {
	cache, remove := tempDir()
	defer remove()
	lock := genlock.New(filepath.Join(cache, "index.lock"), nil)
	for range 3 { // in quick succession
		lease, err := lock.Acquire(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		if err := lease.Release(); err != nil {
			log.Fatal(err)
		}
	}
	genlock.CloseIdle() // nothing is open now, and nothing is left for a next turn
	names, err := os.ReadDir(filepath.Join(cache, "index.lock.v3"))
	for _, name := range names {
		fmt.Println(name.Name())
	}
	fmt.Println(err)
	// Output:
	// protocol-v3
	// queue
	// retired
	// <nil>
}

func ExampleLock_Acquire() {
	cache, remove := tempDir()
	defer remove()
	lock := genlock.New(filepath.Join(cache, "index.lock"), nil)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel() // ctx bounds the wait; the lease lasts until Release
	lease, err := lock.Acquire(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("working")
	if err := lease.Release(); err != nil {
		log.Fatal(err) // ErrLost: somebody took the lock away meanwhile
	}
	// Output: working
}

func ExampleLock_Path() {
	lock := genlock.New("index.lock", nil) // resolved now: a later chdir changes nothing
	fmt.Println(filepath.IsAbs(lock.Path()), filepath.Base(lock.Path()))
	// Output: true index.lock
}

func ExampleAcquireAll() {
	cache, remove := tempDir()
	defer remove()
	a := genlock.New(filepath.Join(cache, "a.lock"), nil)
	b := genlock.New(filepath.Join(cache, "b.lock"), nil)

	// Whoever wants both gets both or none, in one order everywhere.
	leases, err := genlock.AcquireAll(context.Background(), b, a)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range leases {
		defer l.Release()
		fmt.Println(filepath.Base(l.Lock().Path()))
	}
	// Output:
	// b.lock
	// a.lock
}

func ExampleHeldError() {
	cache, remove := tempDir()
	defer remove()
	path := filepath.Join(cache, "index.lock")
	lease, err := genlock.New(path, nil).Acquire(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer lease.Release()

	impatient := genlock.New(path, &genlock.Options{Wait: 10 * time.Millisecond})
	_, err = impatient.Acquire(context.Background())
	var held *genlock.HeldError
	if errors.As(err, &held) { // its text names the holder and what is known of it
		fmt.Println(held.Seen.State, held.Seen.Generation == lease.Generation())
	}
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output:
	// held true
	// true
}

func ExampleBuildFailedError() {
	cache, remove := tempDir()
	defer remove()
	lock := genlock.New(filepath.Join(cache, "tool.lock"), nil)
	_, err := lock.Do(context.Background(), genlock.Artifact{Path: filepath.Join(cache, "tool")},
		func(context.Context, *genlock.Work) error { return errors.New("tool.c:3: missing ;") })
	var failed *genlock.BuildFailedError
	fmt.Println(errors.As(err, &failed), err)
	// Output: true tool.c:3: missing ;
}

func ExampleEvent_LogValue() {
	cache, remove := tempDir()
	defer remove()
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "generation" || a.Key == "lock" {
				return slog.Attr{} // they differ from run to run
			}
			return a
		}}))
	lock := genlock.New(filepath.Join(cache, "index.lock"), &genlock.Options{
		OnEvent: func(e genlock.Event) { logger.Info("lock", "event", e) },
	})
	lease, err := lock.Acquire(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	lease.Release()
	// Output:
	// level=INFO msg=lock event.kind=acquired
	// level=INFO msg=lock event.kind=released
}
