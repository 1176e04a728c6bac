package explore

import "testing"

// TestPowerCuts is the crash of the machine: all processes die, and of what was not
// durable yet any part may be missing. Whoever comes after the restart gets the
// lock, if need be with an operator's word, and nothing is wedged for ever.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	sc := &Scenario{Name: "power", Before: durable, Power: true, Polls: 2, Preemptions: -1,
		Procs: []Part{{Do: tenant}, {Do: tenant}}}
	limits := Limits{Steps: *perScenario}
	if *perScenario == 0 {
		limits.Runs = 100_000
	}
	count, f := CutPower(sc, *seedFlag, limits, 128)
	t.Logf("%d moments, %d disks: %d taken, %d by an operator's word", count.Moments, count.Disks, count.Taken, count.Operator)
	if f != nil {
		t.Error(f)
	}
	if count.Taken == 0 || count.Disks < 100 {
		t.Error("hardly anything was tried")
	}
}

// durable is a scene in which the root was made long ago.
func durable(w *World) {
	rooted(w)
	w.fs.Settle()
}
