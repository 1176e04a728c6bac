//go:build !genlock_mutants

package explore

import (
	"os/exec"
	"strings"
	"testing"
)

// TestMutants runs the explorer once more, built with the mistakes of package
// mutant. Each must be caught, or the explorer is blind.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds everything a second time")
	}
	t.Parallel()
	out, err := exec.Command("go", "test", "-tags=genlock_mutants", "-count=1", "-run=^TestMutants$", "-v", ".").CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if err != nil || strings.Contains(line, "caught") {
			t.Log(strings.TrimSpace(line))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
