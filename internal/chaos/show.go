//go:build unix

package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// show prints the evidence: the rules, what happened around each, and what lies there.
func (r *round) show(found []violation, all []event) {
	r.sums.violations = append(r.sums.violations, found...)
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.At, b.At) })
	const most = 5
	for i, v := range found {
		if i == most {
			fmt.Printf("… and %d more\n", len(found)-most)
			break
		}
		fmt.Printf("\nVIOLATION in round %d: %s", r.plan.Round, v)
		r.around(v, all)
	}
	fmt.Println("\nwhat lies there:")
	for _, dir := range []string{r.plan.Solid, r.plan.Frail} {
		filepath.WalkDir(filepath.Join(dir, "locks"), func(path string, d os.DirEntry, err error) error {
			fmt.Println("  ", path)
			return nil
		})
	}
}

// around prints the history of the keys concerned near the evidence.
func (r *round) around(v violation, all []event) {
	if len(v.Evidence) == 0 {
		return
	}
	from, to, keys := v.Evidence[0].At, v.Evidence[0].At, map[string]bool{"": true}
	for _, e := range v.Evidence {
		from, to, keys[e.Key] = min(from, e.At), max(to, e.At), true
	}
	const margin, most = 100e6, 120
	fmt.Println("  history:")
	n := 0
	for _, e := range all {
		if e.At >= from-margin && e.At <= to+margin && keys[e.Key] {
			if n++; n > most {
				fmt.Println("     …")
				return
			}
			fmt.Println("    ", e)
		}
	}
}
