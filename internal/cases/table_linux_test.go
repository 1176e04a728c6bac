package cases

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCases plays the scenarios and prints the table of what was seen.
func TestCases(t *testing.T) {
	var table table
	for _, k := range slices.Concat(pidCases, containerCases, hostCases, clockCases, accessCases,
		commandCases, lockingCases, frozenCases, oldCases) {
		name := k.id + " " + k.what
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			var v seen
			t.Cleanup(func() { table.add(&k, s, v) })
			v = k.run(s)
			k.check(s, v)
		})
	}
	t.Log("\n" + table.String())
}

// table collects one line for each scenario.
type table struct {
	rows    [][]string
	skipped int
	failed  int
}

func (t *table) add(k *scenario, s *scene, v seen) {
	switch {
	case s.skipped != "":
		t.skipped++
		t.rows = append(t.rows, []string{k.id, k.what, "skipped", "", "", s.skipped})
		return
	case s.Failed():
		t.failed++
	}
	next := string(k.next)
	if v.Taken {
		next += " in " + short(v.TakenIn)
	}
	verdict := v.answer()
	if s.Failed() {
		verdict = "FAILED: " + verdict
	}
	t.rows = append(t.rows, []string{k.id, k.what, verdict, short(v.Took), next, v.Evidence})
}

func short(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func (t *table) String() string {
	head := []string{"case", "situation", "verdict", "time", "the next one", "evidence"}
	all := append([][]string{head}, t.rows...)
	width := make([]int, len(head)-1) // the last column is as long as it is
	for _, row := range all {
		for i := range width {
			width[i] = max(width[i], len([]rune(row[i])))
		}
	}
	var b strings.Builder
	for _, row := range all {
		for i, w := range width {
			fmt.Fprintf(&b, "%-*s  ", w, row[i])
		}
		fmt.Fprintln(&b, row[len(row)-1])
	}
	fmt.Fprintf(&b, "%d scenarios, %d failed, %d skipped\n", len(t.rows), t.failed, t.skipped)
	return b.String()
}
