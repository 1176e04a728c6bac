// Command genlock runs a command under a lock of a build cache: one builder per
// key, everybody else adopts what it built, and a crash neither wedges the key
// nor lets two builders in. `genlock help run` is its manual.
//
// Output: results go to stdout, everything else to stderr as `genlock: …` and,
// where one helps, `genlock: hint: …`; lower case, no full stop.
package main

import (
	"errors"
	"os"
)

func main() { os.Exit(execute(os.Args[1:])) }

// execute runs one invocation and returns its exit status.
func execute(args []string) int {
	root := newRoot()
	root.SetArgs(args)
	err := root.Execute()
	var told exitStatus
	if errors.As(err, &told) {
		return int(told)
	}
	o := outcomeOf(err, exitHeld)
	newTextReport(os.Stderr, waitBounds{}, false).exit(o)
	return o.code
}

// exitStatus ends a verb whose outcome was reported already.
type exitStatus int

func (exitStatus) Error() string { return "reported before" }
