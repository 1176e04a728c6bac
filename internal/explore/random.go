package explore

import (
	"math/rand/v2"
	"time"
)

// stroll takes a random walk to the end, or to the first finding. Now and then
// it changes how restless it is, so that long runs of one process happen as well
// as tight races.
func (w *World) stroll(r *rand.Rand) {
	restless := 1 + r.IntN(30)
	for w.finding == nil {
		options := w.options(true)
		if len(options) == 0 {
			w.finish()
			return
		}
		if r.IntN(40) == 0 {
			restless = 1 + r.IntN(30)
		}
		choice := 0
		if r.IntN(restless) == 0 {
			choice = r.IntN(len(options))
		}
		if a := options[choice]; (a.crash || a.fault > 0) && r.IntN(20) > 0 {
			choice = 0 // not all of them right at the start
		}
		w.apply(options[choice])
	}
}

// Random runs random schedules until the limits are reached. Equal seeds give
// equal runs.
func Random(sc *Scenario, seed uint64, limits Limits) (Stats, *Failure) {
	know, safe := newKnowledge(sc), newRecovery(sc)
	know.afterEffect = safe.check
	defer know.coros.close()
	var stats Stats
	start := time.Now()
	defer func() { stats.Time, stats.Recoveries = time.Since(start), safe.done }()
	for (limits.Runs == 0 || stats.Runs < limits.Runs) && (limits.Time == 0 || time.Since(start) < limits.Time) {
		w := newWorld(sc, know)
		w.everything, w.record = true, true
		w.stroll(rand.New(rand.NewPCG(seed, uint64(stats.Runs))))
		w.end()
		stats.Runs++
		stats.Steps += w.steps
		stats.Ends++
		if w.finding != nil {
			return stats, shortest(sc, scheduleOf(w.trace), w.finding)
		}
	}
	return stats, nil
}
