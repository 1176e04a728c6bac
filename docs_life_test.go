package genlock_test

import (
	"strings"
	"testing"
)

// TestDocsLife: every row about what happens to CMD, in docs/flock.md, names a test
// that exists.
func TestDocsLife(t *testing.T) {
	_, table, ok := strings.Cut(read(t, "docs/flock.md"), "\n## What happens to CMD\n")
	if !ok {
		t.Fatal("docs/flock.md has no such section")
	}
	known, rows := testNames(t), 0
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") || strings.HasPrefix(line, "| What |") {
			continue
		}
		rows++
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(line), "|"), "|")
		tests := quoted.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(tests) == 0 {
			t.Errorf("no test in: %s", line)
		}
		for _, name := range tests {
			if err := testExists(known, name[1]); err != nil {
				t.Errorf("%v in: %s", err, line)
			}
		}
	}
	if rows < 15 {
		t.Errorf("only %d rows", rows)
	}
}
