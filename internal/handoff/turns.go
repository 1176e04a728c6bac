//go:build unix

package main

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// round is what one round of turns came to.
type round struct {
	p50, p99, worst time.Duration
	cpu, each       time.Duration // processor and wall time for each turn
	unfair          float64       // most served / least served
	kept            float64       // share of the turns that followed one of the same process
	tries, ops      float64       // for each turn
}

func turns(c *crew, n, rounds int) error {
	results := map[string][]round{}
	for i := range rounds + 1 {
		for _, kind := range []string{kindGenlock, kindFlock, kindCounted} {
			if err := os.WriteFile(counterPath(c.dir), make([]byte, 8), 0o666); err != nil {
				return err
			}
			replies, err := c.tellAll(order{Do: "turns", Kind: kind, Turns: int64(n)})
			if err != nil {
				return err
			}
			if i > 0 { // the first one warms up
				results[kind] = append(results[kind], sum(replies, n))
			}
		}
	}
	fmt.Printf("%d processes, %d turns in a round, medians of %d rounds\n", len(c.hands), n, rounds)
	fmt.Printf("%-10s %9s %9s %9s %9s %9s %11s %6s\n",
		"", "p50", "p99", "worst", "CPU/turn", "time/turn", "most/least", "kept")
	for _, kind := range []string{kindGenlock, kindFlock} {
		r := results[kind]
		fmt.Printf("%-10s %9s %9s %9s %9s %9s %11.2f %5.0f%%\n", kind,
			show(median(r, func(r round) time.Duration { return r.p50 })),
			show(median(r, func(r round) time.Duration { return r.p99 })),
			show(median(r, func(r round) time.Duration { return r.worst })),
			show(median(r, func(r round) time.Duration { return r.cpu })),
			show(median(r, func(r round) time.Duration { return r.each })),
			median(r, func(r round) float64 { return r.unfair }),
			100*median(r, func(r round) float64 { return r.kept }))
	}
	r := results[kindCounted]
	fmt.Printf("genlock, for each turn: %.2f attempts to publish, %.0f file operations\n",
		median(r, func(r round) float64 { return r.tries }), median(r, func(r round) float64 { return r.ops }))
	return nil
}

// sum puts the turns of all processes in order.
func sum(replies []reply, n int) (r round) {
	type owned struct {
		turn
		by int
	}
	var all []owned
	var served []int
	for by, w := range replies {
		for _, t := range w.Turns {
			all = append(all, owned{t, by})
		}
		served = append(served, len(w.Turns))
		r.cpu += w.CPU / time.Duration(n)
		r.tries += float64(w.Tries) / float64(n)
		r.ops += float64(w.FileOps) / float64(n)
	}
	slices.SortFunc(all, func(a, b owned) int { return int(a.Number - b.Number) })
	var latencies []time.Duration
	for i := 1; i < len(all); i++ {
		if all[i].by == all[i-1].by {
			r.kept += 1 / float64(len(all))
			continue
		}
		latencies = append(latencies, time.Duration(all[i].Acquired-all[i-1].Released))
	}
	if len(all) > 0 {
		r.each = time.Duration(all[len(all)-1].Released-all[0].Acquired) / time.Duration(len(all))
	}
	r.p50, r.p99, r.worst = percentiles(latencies)
	r.unfair = float64(slices.Max(served)) / float64(max(1, slices.Min(served)))
	return r
}

func percentiles(d []time.Duration) (p50, p99, worst time.Duration) {
	if len(d) == 0 {
		return 0, 0, 0
	}
	slices.Sort(d)
	return d[len(d)/2], d[len(d)*99/100], d[len(d)-1]
}

func median[T time.Duration | float64](rounds []round, of func(round) T) T {
	var values []T
	for _, r := range rounds {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func show(d time.Duration) string {
	if d < 10*time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}
