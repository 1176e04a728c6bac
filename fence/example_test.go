package fence_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/protocol"
)

// A root is opened by the absolute path of its lock, and never made. What a claim is
// good for shows the example of package retire.
func Example() {
	dir, err := os.MkdirTemp("", "genlock")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	_, err = fence.Open(context.Background(), filepath.Join(dir, "k.lock"), protocol.Genlock)
	fmt.Println(errors.Is(err, fence.ErrNoRoot))
	// Output: true
}
