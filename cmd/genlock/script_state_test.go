package main

import (
	"context"
	"os"
	"regexp"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"

	"github.com/rogpeppe/go-internal/testscript"
)

// waitfile FILE [REGEXP] waits until FILE exists, and matches.
func cmdWaitFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: waitfile FILE [REGEXP]")
	}
	want := regexp.MustCompile("")
	if len(args) == 2 {
		want = regexp.MustCompile("(?m)" + args[1])
	}
	var data []byte
	if !poll(func() bool {
		var err error
		data, err = os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && want.Match(data)
	}) {
		ts.Fatalf("%s does not come to that; it holds:\n%s", args[0], data)
	}
}

// waitstatus STATE L waits until status says so. Besides the states there are
// child-only and stopped, which tell more about a held lock.
func cmdWaitStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitstatus STATE L")
	}
	var seen *observer.Observation
	if !poll(func() bool {
		seen = statusOf(ts, args[1])
		switch h := seen.Holder; args[0] {
		case "child-only":
			return h != nil && h.ChildOnly
		case "stopped":
			return h != nil && h.Stopped
		}
		return string(seen.State) == args[0]
	}) {
		ts.Fatalf("lock %s is %s (%s)", args[1], seen.State, seen.Evidence)
	}
}

// generation VAR L puts the held generation into an environment variable.
func cmdGeneration(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: generation VAR L")
	}
	seen := statusOf(ts, args[1])
	if seen.Generation == "" {
		ts.Fatalf("lock %s is %s", args[1], seen.State)
	}
	ts.Setenv(args[0], string(seen.Generation))
}

func statusOf(ts *testscript.TestScript, lock string) *observer.Observation {
	seen, err := genlock.New(ts.MkAbs(lock), nil).Status(context.Background())
	if seen == nil {
		ts.Check(err)
	}
	return seen
}
