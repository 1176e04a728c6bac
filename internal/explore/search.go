package explore

import (
	"math/rand/v2"
	"time"
)

// Limits end a search before it is done. Zero is no limit. They count what is done
// and not the time that it takes, so that a slow machine sees what a fast one does.
type Limits struct {
	Runs  int
	Steps int
}

// letIn is how many operations a newcomer counts for, see recovery.
const letIn = 200

func (l Limits) reached(s Stats) bool {
	return l.Runs > 0 && s.Runs >= l.Runs || l.Steps > 0 && s.Steps+s.Recoveries*letIn >= l.Steps
}

// frame is one decision on the path to the current state.
type frame struct {
	options []action
	taken   int
	// spent is how many preemptions the path used before it.
	spent int
	// asleep are moves that need not be made here, see sleep.go. Options that
	// were explored join them.
	asleep sleepSet
}

// search is a depth-first search over schedules. Runs cannot be copied, so each
// new path is run from the beginning.
type search struct {
	sc      *Scenario
	know    *knowledge
	stack   []frame
	visited map[uint64]visit
	limits  Limits
	stats   Stats
	safe    *recovery
}

// visit is how a state was reached before: with how many preemptions spent, and
// which moves were asleep then and not made since.
type visit struct {
	spent  int
	asleep moveSet
}

// Explore searches all schedules of sc. It returns what it did, and the first
// finding with the trace that leads to it.
func Explore(sc *Scenario, limits Limits) (Stats, *Failure) {
	s := &search{sc: sc, know: newKnowledge(sc), limits: limits, safe: newRecovery(sc)}
	s.know.afterEffect = s.safe.hook()
	start := time.Now()
	failure := s.run()
	s.know.coros.close()
	s.stats.Time = time.Since(start)
	s.stats.Points = len(s.know.points)
	s.stats.Windows = s.know.used()
	return s.stats, failure
}

// ran counts a run that is over.
func (s *search) ran(w *World) {
	s.stats.Runs++
	s.stats.Steps += w.steps
	s.stats.Recoveries = s.safe.done
}

func (s *search) run() *Failure {
	s.warmUp()
	for {
		s.stack, s.visited = nil, map[uint64]visit{}
		s.know.adopt()
		learned, runs := s.know.learned, 0
		for more := true; more; more = s.backtrack() {
			if f := s.once(); f != nil {
				return f
			}
			s.stats.States = len(s.visited)
			if s.limits.reached(s.stats) {
				return nil
			}
			// Early on a restart is cheap. Later the rest of the pass may
			// have more to teach.
			if runs++; s.know.learned != learned && runs < 300 {
				break
			}
		}
		if s.know.learned == learned {
			s.stats.Exhaustive = !s.bounded()
			s.stats.Complete = true
			return nil
		}
		s.stats.Restarts++ // the paths so far missed scheduling points
	}
}

// once runs the path on the stack and goes on from there, always taking the first
// option, to the end or to a state that is known.
func (s *search) once() *Failure {
	w := newWorld(s.sc, s.know)
	defer s.ran(w)
	defer w.end()
	depth, spent := 0, 0
	var asleep sleepSet
	for w.finding == nil {
		options := w.options(!s.bounded() || spent < s.sc.Preemptions)
		if len(options) == 0 {
			s.stats.Ends++
			w.finish()
			break
		}
		move := options[0]
		if len(options) > 1 {
			if depth == len(s.stack) && !s.arrive(w, options, spent, asleep) {
				return nil
			}
			f := &s.stack[depth]
			move, asleep = f.options[f.taken], f.asleep
			depth++
		} else if asleep.has(move) {
			return nil
		}
		inTime := w.inTime()
		spent += w.apply(move)
		if depth == len(s.stack) && !s.bounded() {
			done := sleeper{move, w.moved, w.woke, w.changed}
			if len(options) > 1 {
				f := &s.stack[depth-1]
				f.asleep = append(f.asleep[:len(f.asleep):len(f.asleep)], done.keep())
			}
			asleep = asleep.after(done, inTime)
		}
	}
	return s.explain(w)
}

func (s *search) bounded() bool { return s.sc.Preemptions >= 0 }

// arrive makes a frame for the state, unless everything that can follow from it
// is known.
func (s *search) arrive(w *World, options []action, spent int, asleep sleepSet) bool {
	h := w.hash()
	if s.bounded() && w.cur != nil {
		h = mix(h, uint64(w.cur.n))
	}
	before, known := s.visited[h]
	switch {
	case !known || spent < before.spent:
		s.visited[h] = visit{spent, asleep.moves()}
		options = asleep.awake(options)
	case before.asleep&^asleep.moves() == 0:
		return false
	default:
		options = (before.asleep &^ asleep.moves()).among(options)
		asleep = asleep.within(before.asleep)
		s.visited[h] = visit{before.spent, asleep.moves()}
	}
	if len(options) == 0 {
		return false
	}
	s.stack = append(s.stack, frame{options: options, spent: spent, asleep: asleep})
	return true
}

// backtrack goes to the deepest decision with an option that was not taken.
func (s *search) backtrack() bool {
	for len(s.stack) > 0 {
		f := &s.stack[len(s.stack)-1]
		if f.taken++; f.taken < len(f.options) {
			return true
		}
		s.stack = s.stack[:len(s.stack)-1]
	}
	return false
}

// warmUp runs random schedules in which every operation is a scheduling point, to
// learn most of the points before the search.
func (s *search) warmUp() {
	half := Limits{Steps: s.limits.Steps / 2}
	for i, quiet := 0, 0; i < 1000 && quiet < 200 && !half.reached(s.stats); i++ {
		learned := s.know.learned
		w := newWorld(s.sc, s.know)
		w.everything = true
		w.stroll(rand.New(rand.NewPCG(uint64(i), 1)))
		w.end()
		s.ran(w)
		if quiet++; s.know.learned != learned {
			quiet = 0
		}
	}
}
