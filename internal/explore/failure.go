package explore

import (
	"fmt"
	"strings"
)

// Failure is a finding with the steps that lead to it.
type Failure struct {
	Scenario string
	Finding  *Finding
	Schedule Schedule
	Steps    []string
}

// String is the whole story: the rule, the steps in words, and how to see it again.
func (f *Failure) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", f.Finding.Rule, f.Finding.What)
	for i, s := range f.Steps {
		fmt.Fprintf(&b, "%4d. %s\n", i+1, s)
	}
	fmt.Fprintf(&b, "replay: go test ./internal/explore -run TestReplay -schedule=%s:%s", f.Scenario, f.Schedule)
	return b.String()
}

// Operations is how many there are in the schedule.
func (f *Failure) Operations() (n int) {
	for _, t := range f.Schedule {
		n += t.n
	}
	return n
}
