package explore

import (
	"strings"
	"testing"

	"genlock.dev/genlock/protocol"
)

// Scenarios in which the directory of a generation becomes that of the next one. It
// takes a third turn in quick succession, and so the first process of each has had
// two when the exploration begins.
func init() {
	again := func(other ...Part) []Part {
		return append([]Part{{Do: thrice, Until: third}}, other...)
	}
	scenarios = append(scenarios,
		&Scenario{Name: "recycle", Before: rooted, After: settled, Preemptions: -1, Procs: again(Part{Do: tryOnce})},
		&Scenario{Name: "recycle-look", Before: rooted, After: settled, Preemptions: -1, Procs: again(Part{Do: looker})},
		&Scenario{Name: "recycle-claim", Before: rooted, After: settled, Preemptions: -1, Procs: again(Part{Do: claimAnyway})},
		&Scenario{Name: "recycle-collect", Before: rooted, After: settled, Preemptions: -1, Procs: again(Part{Do: (*Proc).Collect})},
		&Scenario{Name: "recycle-break", Before: rooted, After: settled, Preemptions: -1, Procs: again(Part{Do: breaker})},
		&Scenario{Name: "recycle-prune", Before: rooted, After: settled, Preemptions: -1, Procs: again(Part{Do: (*Proc).Prune})},
		// What looks while a generation is held finds its directory as another one.
		&Scenario{Name: "recycle-late-look", Before: rooted, After: settled, Preemptions: 3, Procs: fifth(looker)},
		&Scenario{Name: "recycle-late-claim", Before: rooted, After: settled, Preemptions: 3, Procs: fifth(claimAnyway)},
		&Scenario{Name: "recycle-late-break", Before: rooted, After: settled, Preemptions: 3, Procs: fifth(breaker)},
		&Scenario{Name: "recycle-crash", Before: rooted, After: settled, Preemptions: 1, Crashes: 1, Polls: 1, Procs: again(Part{Do: tenant})},
		&Scenario{Name: "recycle-both", Before: rooted, After: settled, Preemptions: 2, Polls: 1, Procs: again(Part{Do: thrice, Until: third})},
		&Scenario{Name: "recycle-lies", Before: rooted, After: settledLater, Preemptions: 1, Faults: 1, Fault: anyRename, Procs: again(Part{Do: tryOnce})},
		&Scenario{Name: "three-recycle", Before: rooted, After: settled, Preemptions: 2, Polls: 1,
			Procs: again(Part{Do: tenant}, Part{Do: breaker})},
	)
}

// fifth has one process inside its third turn, with two more to come.
func fifth(other func(*Proc)) []Part {
	return []Part{{Do: func(p *Proc) { thrice(p); twice(p) }, Until: thirdInside}, {Do: other}}
}

func thrice(p *Proc) {
	twice(p)
	tryOnce(p)
}

// third is where a process stands that has had two turns.
func third(p *Proc, o op) bool { return o.verb == vMark && o.name == "calls" && p.calls == 8 }

func thirdInside(p *Proc, o op) bool { return o.verb == vMark && p.calls > 8 && p.marks.inside }

// TestRecycled: the scenarios above are about what they say.
func TestRecycled(t *testing.T) {
	sc := scenarioOf("recycle")
	know := newKnowledge(sc)
	defer know.coros.close()
	w := newWorld(sc, know)
	defer w.end()
	w.everything, w.record = true, true
	for !w.procs[2].dead && w.procs[2].state == ready {
		w.apply(action{proc: 2})
	}
	steps := strings.Join(words(w.trace), "\n")
	for _, want := range []string{"/generation (over what was there)", "rename candidate-b8 to current"} {
		if !strings.Contains(steps, want) {
			t.Errorf("there is no step %q in\n%s", want, steps)
		}
	}
	if strings.Contains(steps, "make directory "+protocol.CandidateName("")) {
		t.Errorf("a directory was made anew:\n%s", steps)
	}
}
