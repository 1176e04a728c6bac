//go:build unix

package genlock_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// contest times several things in turn, so that whatever disturbs the machine
// disturbs all of them, and compares each with the first one.
type contest struct {
	names []string
	turns []func() error
}

func (c *contest) add(name string, turn func() error) {
	c.names, c.turns = append(c.names, name), append(c.turns, turn)
}

// run reports for each the median of five medians, the mean, and the medians of five
// ratios of medians, and of means, to the first one.
func (c *contest) run(b *testing.B) {
	b.Helper()
	all := make([][]time.Duration, len(c.turns))
	for b.Loop() {
		for i, turn := range c.turns {
			began := time.Now()
			if err := turn(); err != nil {
				b.Fatal(c.names[i], ": ", err)
			}
			all[i] = append(all[i], time.Since(began))
		}
	}
	for i, name := range c.names {
		b.ReportMetric(overRounds(all[i], all[i], func(d, _ []time.Duration) float64 { return middle(d) / 1e3 }), name+"-µs")
		if i > 0 {
			b.ReportMetric(overRounds(all[i], all[0], func(d, first []time.Duration) float64 {
				return middle(d) / middle(first)
			}), name+"/"+c.names[0])
			b.ReportMetric(overRounds(all[i], all[0], func(d, first []time.Duration) float64 {
				return mean(d) / mean(first)
			}), "mean-"+name+"/"+c.names[0])
		}
	}
	b.ReportMetric(0, "ns/op") // of all together it says nothing
}

// overRounds is the median of what of is in five parts of the run.
func overRounds(own, first []time.Duration, of func(own, first []time.Duration) float64) float64 {
	const rounds = 5
	var values []float64
	for r := range rounds {
		from, to := r*len(own)/rounds, (r+1)*len(own)/rounds
		if from < to {
			values = append(values, of(own[from:to], first[from:to]))
		}
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func middle(d []time.Duration) float64 {
	d = slices.Sorted(slices.Values(d))
	return float64(d[len(d)/2])
}

func mean(d []time.Duration) float64 {
	var sum time.Duration
	for _, d := range d {
		sum += d
	}
	return float64(sum) / float64(len(d))
}

// BenchmarkRatio is a turn beside the calls that no turn can do without.
func BenchmarkRatio(b *testing.B) {
	var c contest
	c.add("floor", newFloor(b).turn)
	c.add("turn", turnOf(b, newLock(b)))
	c.run(b)
}

// BenchmarkTombstones is a turn among many tombstones that nobody collects, beside one
// without any.
func BenchmarkTombstones(b *testing.B) {
	var c contest
	for _, n := range []int{0, 1000, 10000} {
		lock := newLock(b)
		turn := turnOf(b, lock)
		if err := turn(); err != nil {
			b.Fatal(err)
		}
		plantTombstones(b, lock, n)
		c.add(fmt.Sprint(n), turn)
	}
	c.run(b)
}
