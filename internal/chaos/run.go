//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// roundLength bounds a round, so that recovery is looked at often and histories stay
// small.
const roundLength = 20 * time.Second

// sums is what the end of a run tells.
type sums struct {
	turns, kills, stops, houseKills, full, readOnly   int
	builds, adoptions, breaks, honest, faulty, rounds int
	byOperator                                        int
	violations                                        []violation
}

// run is all rounds; it returns the exit status.
func run(ctx context.Context, o options) int {
	fmt.Println("seed", o.seed)
	dir, err := os.MkdirTemp(o.dir, "genlock-chaos-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	disk, lacking := newDisk(filepath.Join(dir, "frail"))
	defer disk.close()
	lacking = append(lacking, housesLack()...)
	for _, l := range lacking {
		fmt.Println("not here:", l)
	}
	s := &sums{}
	end := now() + int64(o.length)
	for i := 0; now() < end && ctx.Err() == nil && err == nil && len(s.violations) == 0; i++ {
		length := min(end-now(), int64(roundLength))
		p := &plan{Seed: o.seed, Round: i, Dir: dir, Solid: filepath.Join(dir, "solid"), Frail: filepath.Join(dir, "frail"), Until: now() + length}
		p.drawKeys(o.keys)
		err = (&round{plan: p, n: o.n, disk: disk, sums: s}).play(ctx)
		if o.length > 5*roundLength {
			s.print()
		}
	}
	s.print()
	switch {
	case ctx.Err() != nil:
		fmt.Println("interrupted")
		return 130
	case err != nil:
		fmt.Fprintln(os.Stderr, "chaos:", err)
		return 1
	case len(s.violations) > 0:
		fmt.Printf("\nthe same plan again: -seed %d\n", o.seed)
		return 1
	}
	return 0
}

func (s *sums) print() {
	fmt.Printf("rounds %d, turns %d, kills %d, stops %d, namespace kills %d, full-disk periods %d, read-only flips %d, "+
		"builds %d, adoptions %d, breaks %d, refused %d, errors of a spoilt disk %d, old locks broken by an operator %d, violations %d\n",
		s.rounds, s.turns, s.kills, s.stops, s.houseKills, s.full, s.readOnly,
		s.builds, s.adoptions, s.breaks, s.honest, s.faulty, s.byOperator, len(s.violations))
}

func (s *sums) count(all []event) {
	s.rounds++
	for _, e := range all {
		switch e.What {
		case enter, looked:
			s.turns++
		case published:
			s.builds++
		case adopted:
			s.adoptions++
		case broke:
			s.breaks++
		case refused:
			s.honest++
		}
		if e.What == odd || e.failedRelease() {
			s.faulty++
		}
	}
}
