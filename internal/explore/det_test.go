package explore

import "testing"

// TestEqualSeeds: what is bounded by a count, and not by time, happens again.
func TestEqualSeeds(t *testing.T) {
	for _, name := range []string{"reclaim", "observe-token", "hold-ours-heartbeat"} {
		sc := *scenarioOf(name)
		sc.Immortal = true
		once, _ := Hunt(&sc, 3, Limits{Runs: 30})
		again, _ := Hunt(&sc, 3, Limits{Runs: 30})
		if once.Steps != again.Steps {
			t.Errorf("%s: Hunt did %d operations, then %d", name, once.Steps, again.Steps)
		}
		once, _ = Explore(&sc, Limits{Steps: 30_000})
		again, _ = Explore(&sc, Limits{Steps: 30_000})
		if once.Steps != again.Steps || once.States != again.States {
			t.Errorf("%s: Explore did %d operations, then %d, %d states, then %d", name, once.Steps, again.Steps, once.States, again.States)
		}
	}
}
