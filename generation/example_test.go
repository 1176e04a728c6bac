package generation_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/protocol"
)

// One tenure, step by step. Most callers want the root package, which also waits and
// reclaims.
func Example() {
	dir, err := os.MkdirTemp("", "genlock")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	root, err := generation.OpenOrInit(ctx, filepath.Join(dir, "k.lock"), protocol.Genlock)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	tenure, err := generation.Publish(ctx, root, generation.Intent{About: &protocol.About{Label: "example"}})
	fmt.Println(err)
	_, err = generation.Publish(ctx, root, generation.Intent{})
	fmt.Println(errors.Is(err, generation.ErrHeld))

	fmt.Println(tenure.Check())
	fmt.Println(tenure.Release()) // retires exactly this generation
	fmt.Println(errors.Is(tenure.Check(), generation.ErrLost))
	// Output:
	// <nil>
	// true
	// <nil>
	// <nil>
	// true
}
