//go:build !unix || aix

package main

import (
	"fmt"
	"os"
)

// main says that there is nothing to run: the peer is made of flock, kill and
// rename(2).
func main() {
	fmt.Fprintln(os.Stderr, "peer: unsupported on this platform")
	os.Exit(1)
}
