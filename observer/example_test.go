package observer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// Looking at a lock writes nothing, also where none ever was.
func Example() {
	dir, err := os.MkdirTemp("", "genlock")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	seen, err := observer.Look(context.Background(), filepath.Join(dir, "k.lock"), protocol.Genlock)
	fmt.Println(seen.State, err)
	fmt.Println("lock k.lock", seen.Describe(time.Now()))
	entries, err := os.ReadDir(dir)
	fmt.Println(len(entries), err)
	// Output:
	// free <nil>
	// lock k.lock is free
	// 0 <nil>
}
