//go:build unix

// Bench compares genlock with other locks between processes, on one disk and in one
// run, since only ratios in one run mean anything:
//
//	cd bench && go run .                  alone, and eight processes
//	cd bench && go run . -dir /dev/shm    on another disk
//
// It is a module of its own, so that what it compares with is not among the
// dependencies of genlock. The npm packages are installed at a fixed version into a
// temporary directory, or the one that -npm names, when node is there, and are left
// out otherwise.
//
// A process that takes the lock again at once keeps it, with a lock that polls: that
// is fast and serves nobody. So each process pauses between its turns, as tools do,
// and the share of the most and the least served is printed.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

type options struct {
	dir    string
	npm    string
	n      int
	rounds int
	turn   time.Duration
	pause  time.Duration
}

func main() {
	var o options
	var worker string
	flag.StringVar(&o.dir, "dir", os.TempDir(), "where to make the locks")
	flag.StringVar(&o.npm, "npm", "", "keep the npm packages in this directory, and use what is there")
	flag.IntVar(&o.n, "n", 8, "processes that contend")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each lock")
	flag.DurationVar(&o.turn, "time", time.Second, "how long each round lasts")
	flag.DurationVar(&o.pause, "pause", 2*time.Millisecond, "longest pause of a process between its turns, when several contend")
	flag.StringVar(&worker, "worker", "", "for the processes that take turns")
	flag.Parse()
	run := func() error { return compare(o) }
	if worker != "" {
		run = func() error { return work(worker, flag.Arg(0), o.turn, o.pause) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func compare(o options) error {
	dir, err := os.MkdirTemp(o.dir, "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.npm == "" {
		o.npm = dir
	}
	locks, err := contestants(dir, o.npm)
	if err != nil {
		return err
	}
	alone, together := make([][]result, len(locks)), make([][]result, len(locks))
	for range o.rounds {
		for i, l := range locks {
			one, err := round(o, dir, l, 1, 0)
			if err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			all, err := round(o, dir, l, o.n, o.pause)
			if err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			alone[i], together[i] = append(alone[i], one), append(together[i], all)
		}
	}
	fmt.Printf("turns per second, medians of %d rounds of %s; with several, each pauses up to %s between turns\n",
		o.rounds, o.turn, o.pause)
	fmt.Printf("%-28s %10s %14s %10s %14s %11s\n", "", "alone", "genlock/it", fmt.Sprint(o.n), "genlock/it", "most/least")
	for i, l := range locks {
		fmt.Printf("%-28s %10.0f %14.2f %10.0f %14.2f %11.2f\n", l.name,
			median(alone[i], rate), ratio(alone[0], alone[i]),
			median(together[i], rate), ratio(together[0], together[i]),
			median(together[i], func(r result) float64 { return r.unfair }))
	}
	return nil
}

// result is what one round came to.
type result struct{ perSecond, unfair float64 }

func rate(r result) float64 { return r.perSecond }

func median(all []result, of func(result) float64) float64 {
	var values []float64
	for _, r := range all {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// ratio is the median of the ratios of rounds that followed each other.
func ratio(ours, other []result) float64 {
	var values []float64
	for i := range ours {
		values = append(values, ours[i].perSecond/max(other[i].perSecond, 1e-9))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func lockPath(dir, name string) string { return filepath.Join(dir, name+".lock") }
