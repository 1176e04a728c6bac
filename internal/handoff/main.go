//go:build unix

// Handoff measures how a lock passes from process to process, beside flock(2) in
// the same run, since only the ratio of the two means anything on a busy machine:
//
//	go run ./internal/handoff -n 8 -turns 1000     how fast and how fair
//	go run ./internal/handoff -n 8 -takeover 20    after SIGKILL of the holder
//	go run ./internal/handoff -n 32 -idle 20s      what waiting costs
//
// The rounds of the locks alternate. Latency is from the call that releases to the
// return of the next process's acquisition. Exclusion is checked in every turn.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

type options struct {
	dir      string
	n        int
	turns    int
	rounds   int
	hold     time.Duration
	takeover int
	idle     time.Duration
}

func main() {
	var o options
	var worker string
	flag.StringVar(&o.dir, "dir", os.TempDir(), "where to make the locks")
	flag.IntVar(&o.n, "n", 8, "processes")
	flag.IntVar(&o.turns, "turns", 1000, "turns of all processes together in a round")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each lock")
	flag.DurationVar(&o.hold, "hold", 0, "how long each turn holds the lock")
	flag.IntVar(&o.takeover, "takeover", 0, "kill this many holders, one after the other")
	flag.DurationVar(&o.idle, "idle", 0, "hold the lock this long and measure those who wait")
	flag.StringVar(&worker, "worker", "", "for the processes that take turns")
	flag.Parse()
	run := func() error { return measure(o) }
	if worker != "" {
		run = func() error { return work(worker, o.hold) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "handoff:", err)
		os.Exit(1)
	}
}

func measure(o options) error {
	dir, err := os.MkdirTemp(o.dir, "handoff-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	crew := &crew{dir: dir, hold: o.hold}
	defer crew.stop()
	for range o.n {
		if err := crew.hire(); err != nil {
			return err
		}
	}
	switch {
	case o.takeover > 0:
		return takeovers(crew, o.takeover)
	case o.idle > 0:
		return idle(crew, o.idle)
	}
	return turns(crew, o.turns, o.rounds)
}

// kinds are what is compared. Counted is genlock again, with its file operations
// counted, which takes time of its own.
const (
	kindGenlock = "genlock"
	kindFlock   = "flock"
	kindCounted = "counted"
)

func counterPath(dir string) string { return filepath.Join(dir, "counter") }

func lockPath(dir, kind string) string { return filepath.Join(dir, kind+".lock") }
