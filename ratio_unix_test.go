//go:build unix

package genlock_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
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

// BenchmarkRatio is a turn beside the calls that a turn cannot do without unless it
// recycles a directory, and beside one that makes those calls too: in the format that
// has other clients nothing is recycled.
func BenchmarkRatio(b *testing.B) {
	var c contest
	c.add("floor", newFloor(b).turn)
	c.add("turn", turnOf(b, newLock(b)))
	c.add("made", turnOf(b, genlock.New(filepath.Join(b.TempDir(), "k.lock"), &genlock.Options{Format: protocol.TTSC})))
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

// BenchmarkSteady is one lock taken again and again, and BenchmarkManyKeys the first
// turn of ever more locks in one directory. What they report is how the last tenth
// of the turns compares with the first, and what memory and descriptors were needed
// for it; run them with -benchtime 1000000x and 100000x.
func BenchmarkSteady(b *testing.B) { steady(b, turnOf(b, newLock(b))) }

func BenchmarkManyKeys(b *testing.B) {
	dir, n := b.TempDir(), 0
	steady(b, func() error {
		n++
		return turnOf(b, genlock.New(filepath.Join(dir, fmt.Sprintf("k%d.lock", n)), nil))()
	})
}

func steady(b *testing.B, turn func() error) {
	before, files := heap(), openFiles()
	var all []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := turn(); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(began))
	}
	tenth := max(1, len(all)/10)
	b.ReportMetric(middle(all[len(all)-tenth:])/middle(all[:tenth]), "last/first")
	b.ReportMetric(middle(all)/1e3, "median-µs")
	all = nil
	b.ReportMetric((float64(heap())-float64(before))/1024, "KiB-more")
	b.ReportMetric(float64(openFiles()-files), "files-more")
}

// openFiles counts the descriptors of this process, where that can be done.
func openFiles() int {
	names, err := os.ReadDir("/dev/fd")
	if err != nil {
		return 0
	}
	return len(names)
}
