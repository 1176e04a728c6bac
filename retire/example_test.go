package retire_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// Whoever ends somebody else's generation claims it first. A holder that lives is not
// reclaimed; an operator may break it, and it notices.
func Example() {
	dir, err := os.MkdirTemp("", "genlock")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	path := filepath.Join(dir, "k.lock")
	root, err := generation.OpenOrInit(ctx, path, protocol.Genlock)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	holder, err := generation.Publish(ctx, root, generation.Intent{})
	if err != nil {
		log.Fatal(err)
	}

	f, err := fence.Claim(ctx, root, holder.Generation())
	if err != nil {
		log.Fatal(err)
	}
	defer f.Withdraw()
	_, err = retire.Reclaim(ctx, f)
	var alive *retire.AliveError
	fmt.Println("alive:", errors.As(err, &alive))
	fmt.Println("broken:", retire.Break(ctx, f, retire.Word{By: "me", Reason: "an example"}))

	fmt.Println("lost:", errors.Is(holder.Release(), generation.ErrLost))
	_, err = fence.Claim(ctx, root, holder.Generation())
	fmt.Println("moved:", errors.Is(err, fence.ErrMoved))
	// Output:
	// alive: true
	// broken: <nil>
	// lost: true
	// moved: true
}
