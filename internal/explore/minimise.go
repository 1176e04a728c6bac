package explore

import "slices"

// explain replays the path of a run that found something, operation by operation,
// makes the schedule shorter and tells it in words.
func (s *search) explain(w *World) *Failure {
	if w.finding == nil {
		return nil
	}
	again := newWorld(s.sc, s.know)
	defer again.end()
	again.record = true
	depth, spent := 0, 0
	for again.finding == nil {
		options := again.options(!s.bounded() || spent < s.sc.Preemptions)
		if len(options) == 0 {
			again.finish()
			break
		}
		move := options[0]
		if len(options) > 1 && depth < len(s.stack) {
			move = s.stack[depth].options[s.stack[depth].taken]
			depth++
		}
		spent += again.apply(move)
	}
	return shortest(s.sc, scheduleOf(again.trace), w.finding)
}

// shortest makes a schedule shorter as long as the same rule breaks.
func shortest(sc *Scenario, schedule Schedule, finding *Finding) *Failure {
	try := func(s Schedule) *World {
		know := newKnowledge(sc)
		know.afterEffect = newRecovery(sc).hook()
		w := replay(sc, know, s)
		w.end()
		know.coros.close()
		return w
	}
	same := func(w *World) bool { return w.finding != nil && w.finding.Rule == finding.Rule }
	best := try(schedule)
	if !same(best) {
		// The finding depends on what a schedule does not say.
		return &Failure{Scenario: sc.Name, Finding: finding, Schedule: schedule, Steps: words(best.trace)}
	}
	schedule = scheduleOf(best.trace)
	for again := true; again; {
		again = false
		for i := 0; i < len(schedule); i++ {
			if w := try(slices.Delete(slices.Clone(schedule), i, i+1)); same(w) && simpler(w, best) {
				best, schedule, again = w, scheduleOf(w.trace), true
				i--
			}
		}
		for i := range schedule {
			// Running on to where it blocks can make later turns needless.
			longer := slices.Clone(schedule)
			longer[i].n *= 100
			if w := try(longer); schedule[i].n > 0 && same(w) && simpler(w, best) {
				best, schedule, again = w, scheduleOf(w.trace), true
				break
			}
		}
	}
	return &Failure{Scenario: sc.Name, Finding: best.finding, Schedule: schedule, Steps: words(best.trace)}
}

// simpler compares first how often somebody else moves, then how much happens.
func simpler(a, b *World) bool {
	x, y := len(scheduleOf(a.trace)), len(scheduleOf(b.trace))
	return x < y || x == y && len(a.trace) < len(b.trace)
}

// words tells a trace: every change, and what was looked at right before somebody
// else moved.
func words(trace []step) []string {
	var lines []string
	for i, s := range trace {
		last := i+1 == len(trace) || trace[i+1].proc != s.proc
		if s.crash || s.fault > 0 || last || changes(s.op.verb) || s.op.verb == vMark {
			lines = append(lines, s.String())
		}
	}
	return lines
}

// String is one step in words.
func (s step) String() string {
	name := string(letter(s.proc))
	switch {
	case s.crash:
		return name + " crashes"
	case s.fault > 0:
		return name + ": " + s.op.String() + " (fault)"
	}
	return name + ": " + s.op.String()
}
