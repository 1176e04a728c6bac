package explore

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var (
	perScenario  = flag.Int("steps", stepsForEach(), "operations of simulated processes for each scenario; 0 is no bound")
	seedFlag     = flag.Uint64("seed", 1, "seed of the random runs")
	scheduleFlag = flag.String("schedule", "", "what TestReplay runs, as a failure prints it")
)

// stepsForEach counts what is done and not the time that it takes: a failure on one
// machine is one on every other.
func stepsForEach() int {
	steps := 150_000
	switch os.Getenv("GENLOCK_EXPLORE") {
	case "long":
		return 0
	case "table":
		steps *= 8
	}
	if racing {
		steps /= 10
	}
	return steps
}

// TestExplore prints what was explored, and how far.
func TestExplore(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			stats, f := Explore(sc, Limits{Steps: *perScenario})
			t.Logf("%-15s %d processes, %d crashes, %d faults: %s", sc.Name, len(sc.Procs), sc.Crashes, sc.Faults, stats)
			if f != nil {
				t.Error(f)
			}
		})
	}
}

// TestRandom goes where TestExplore is bounded: first with the bugs in mind that need
// few preemptions, then wildly.
func TestRandom(t *testing.T) {
	limits := Limits{Steps: *perScenario / 4}
	if *perScenario == 0 {
		limits.Runs = 100_000
	}
	for _, sc := range scenarios {
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			few, f := Hunt(sc, *seedFlag, limits)
			if f == nil {
				var many Stats
				many, f = Random(sc, *seedFlag, limits)
				few.Runs += many.Runs
				few.Steps += many.Steps
			}
			t.Logf("%-15s seed %d: %d runs, %d operations", sc.Name, *seedFlag, few.Runs, few.Steps)
			if f != nil {
				t.Error(f)
			}
		})
	}
}

// TestReplay shows a schedule step by step: -schedule=scenario:A12,B3,!A
func TestReplay(t *testing.T) {
	if *scheduleFlag == "" {
		t.Skip("no -schedule")
	}
	name, turns, _ := strings.Cut(*scheduleFlag, ":")
	sc := scenarioOf(name)
	if sc == nil {
		t.Fatalf("no scenario %q", name)
	}
	schedule, err := ParseSchedule(turns)
	if err != nil {
		t.Fatal(err)
	}
	know := newKnowledge(sc)
	defer know.coros.close()
	know.afterEffect = newRecovery(sc).hook()
	w := replay(sc, know, schedule)
	defer w.end()
	for i, step := range w.trace {
		t.Logf("%4d. %s", i+1, step)
	}
	if w.finding != nil {
		t.Error(w.finding)
	}
}

// scenarioOf finds a scenario by its name. Mistakes made on purpose have theirs.
var scenarioOf = func(name string) *Scenario {
	for _, sc := range scenarios {
		if sc.Name == name {
			return sc
		}
	}
	return nil
}
