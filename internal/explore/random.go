package explore

import (
	"math/rand/v2"
	"slices"
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

// hop runs everybody one after the other, except that at a few moments, spread
// evenly over the run, somebody else gets his turn. Most mistakes need no more
// than two or three such moments, and it finds them sooner than a search that
// begins with the last one.
func (w *World) hop(r *rand.Rand, length int) (decisions int) {
	var moments []int
	for range r.IntN(5) {
		moments = append(moments, r.IntN(length))
	}
	for w.finding == nil {
		options := w.options(true)
		if len(options) == 0 {
			w.finish()
			return decisions
		}
		choice := 0
		if w.cur == nil || w.cur.state != ready || w.cur.dead {
			choice = r.IntN(len(w.onlyRuns(options)))
		}
		if len(options) > 1 {
			if slices.Contains(moments, decisions) {
				choice = r.IntN(len(options))
			}
			decisions++
		}
		w.apply(options[choice])
	}
	return decisions
}

// onlyRuns is the leading part of options without crashes.
func (w *World) onlyRuns(options []action) []action {
	for i, a := range options {
		if a.crash {
			return options[:i]
		}
	}
	return options
}

// Hunt runs random schedules of few preemptions until it finds something or reaches
// the limits. Equal seeds give equal runs.
func Hunt(sc *Scenario, seed uint64, limits Limits) (stats Stats, f *Failure) {
	s := &search{sc: sc, know: newKnowledge(sc), limits: limits, safe: newRecovery(sc)}
	s.know.afterEffect = s.safe.hook()
	defer s.know.coros.close()
	start, length := time.Now(), 1
	defer func() { stats.Time, stats.Windows = time.Since(start), s.know.used() }()
	for !limits.reached(s.stats) {
		s.know.adopt()
		w := newWorld(sc, s.know)
		w.record = true
		w.everything = s.stats.Runs%8 == 0 // goes on learning
		n := w.hop(rand.New(rand.NewPCG(seed, uint64(s.stats.Runs))), length)
		if !w.everything {
			length = max(length, n)
		}
		w.end()
		s.ran(w)
		if w.finding != nil {
			return s.stats, shortest(sc, scheduleOf(w.trace), w.finding)
		}
	}
	return s.stats, nil
}

// Random runs random schedules until the limits are reached. Equal seeds give
// equal runs.
func Random(sc *Scenario, seed uint64, limits Limits) (stats Stats, f *Failure) {
	s := &search{sc: sc, know: newKnowledge(sc), limits: limits, safe: newRecovery(sc)}
	s.know.afterEffect = s.safe.hook()
	defer s.know.coros.close()
	start := time.Now()
	defer func() { stats.Time, stats.Windows = time.Since(start), s.know.used() }()
	for !limits.reached(s.stats) {
		w := newWorld(sc, s.know)
		w.everything, w.record = true, true
		w.stroll(rand.New(rand.NewPCG(seed, uint64(s.stats.Runs))))
		w.end()
		s.ran(w)
		if w.finding != nil {
			return s.stats, shortest(sc, scheduleOf(w.trace), w.finding)
		}
	}
	return s.stats, nil
}
