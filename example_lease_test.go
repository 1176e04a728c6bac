package genlock_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"genlock.dev/genlock"
)

// acquired is a fresh lease; done releases it and removes its directory.
func acquired() (lease *genlock.Lease, done func()) {
	cache, remove := tempDir()
	lease, err := genlock.New(filepath.Join(cache, "index.lock"), nil).Acquire(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	return lease, func() {
		lease.Release()
		remove()
	}
}

func ExampleLease_Check() {
	lease, done := acquired()
	defer done()
	fmt.Println(lease.Check())
	// The answer may be old when it is read: publish through the lease instead of
	// checking it and then writing.
	lease.Release()
	fmt.Println(errors.Is(lease.Check(), genlock.ErrReleased))
	// Output:
	// <nil>
	// true
}

func ExampleLease_Context() {
	lease, done := acquired()
	defer done()
	ctx := lease.Context(context.Background())
	lease.Release()
	<-ctx.Done() // the work has no lock any more
	fmt.Println(context.Cause(ctx))
	// Output: the lease is released
}

func ExampleLease_Generation() {
	lease, done := acquired()
	defer done()
	// A guarded store may refuse whoever comes with an older one.
	fmt.Println(len(lease.Generation()))
	// Output: 32
}

func ExampleLease_Lock() {
	lease, done := acquired()
	defer done()
	seen, err := lease.Lock().Status(context.Background())
	fmt.Println(seen.State, err)
	// Output: held <nil>
}

func ExampleLease_Failed() {
	lease, done := acquired()
	defer done()
	lease.Failed(3, "no disk space")
	lease.Release()
	// Whoever waited is told.
	seen, err := lease.Lock().Status(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(seen.Last.Outcome, seen.Last.Exit, seen.Last.Message)
	// Output: failed 3 no disk space
}

func ExampleLease_Release() {
	lease, done := acquired()
	defer done()
	fmt.Println(lease.Release())
	fmt.Println(lease.Release()) // again does no harm
	// Output:
	// <nil>
	// <nil>
}

func ExampleLease_Publish() {
	lease, done := acquired()
	defer done()
	ctx := context.Background()
	a := genlock.Artifact{Path: filepath.Join(filepath.Dir(lease.Lock().Path()), "index")}

	out, err := lease.Stage(a) // Do does all of this by itself
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(out, []byte("whole\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	fmt.Println(lease.Publish(ctx, a)) // ErrLost if the lock is not ours any more

	data, err := os.ReadFile(a.Path)
	fmt.Printf("%s%v\n", data, err)
	// Output:
	// <nil>
	// whole
	// <nil>
}

func ExampleLease_Stage() {
	lease, done := acquired()
	defer done()
	out, err := lease.Stage(genlock.Artifact{Path: filepath.Join(filepath.Dir(lease.Lock().Path()), "index")})
	if err != nil {
		log.Fatal(err)
	}
	_, err = os.Stat(out)
	fmt.Println(filepath.Base(out), errors.Is(err, os.ErrNotExist))
	// Output: index true
}

func ExampleLease_Environ() {
	lease, done := acquired()
	defer done()
	for _, entry := range lease.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		fmt.Println(name)
	}
	// Output:
	// GENLOCK_LOCK
	// GENLOCK_GENERATION
	// GENLOCK_HELD
}

func ExampleEnvironAll() {
	a, doneA := acquired()
	defer doneA()
	b, doneB := acquired()
	defer doneB()
	// For a daemon that a build leaves behind: it knows the locks and keeps none.
	env := append(os.Environ(), genlock.EnvironAll(a, b)...)
	fmt.Println(len(env) - len(os.Environ()))
	// Output: 3
}
