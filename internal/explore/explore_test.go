package explore

import (
	"flag"
	"testing"
	"time"
)

var perScenario = flag.Duration("per", 3*time.Second, "time for each scenario")

func TestExplore(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.Name, func(t *testing.T) {
			stats, f := Explore(sc, Limits{Time: *perScenario})
			t.Log(stats)
			if f != nil {
				t.Error(f)
			}
		})
	}
}
