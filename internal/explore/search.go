package explore

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"genlock.dev/genlock/protocol"
)

// knowledge is what the runs of one search share.
type knowledge struct {
	roles  *roles
	points map[point]bool
	// Roles that the rules speak of.
	root, retired, claim, observers, beside role
	// learned counts additions to points.
	learned int
	// afterEffect is called after every change of the simulated world.
	afterEffect func(*World)
}

func newKnowledge(sc *Scenario) *knowledge {
	k := &knowledge{roles: newRoles(), points: map[point]bool{{verb: vCrash}: true}}
	id := strings.Repeat("0", 32)
	dir := k.roles.get(0, lockDir[1:])
	k.root = k.roles.get(dir, protocol.RootCandidateName(lockBase, protocol.ID(id)))
	k.retired = k.roles.get(k.root, protocol.RetiredName)
	k.claim = k.roles.get(k.root, protocol.ClaimCandidateName(protocol.ID(id), protocol.ID(id)))
	generation := k.roles.get(k.root, protocol.CandidateName(protocol.ID(id)))
	k.observers = k.roles.get(generation, protocol.ObserversName)
	k.beside = k.roles.get(dir, protocol.BesideName(filepath.Base(sc.Artifact), protocol.ID(id)))
	return k
}

func (k *knowledge) learn(p point) {
	if !k.points[p] {
		k.points[p] = true
		k.learned++
	}
}

// Stats is what a search did.
type Stats struct {
	Runs, States, Steps, Restarts, Points int
	Recoveries                            int // states from which a newcomer was let in
	Ends                                  int // runs that came to their own end
	Exhaustive                            bool
	Time                                  time.Duration
}

func (s Stats) String() string {
	how := "bounded"
	if s.Exhaustive {
		how = "exhaustive"
	}
	return fmt.Sprintf("%d runs, %d states, %d ends, %d recoveries, %d kinds of points, %d restarts, %s, %s",
		s.Runs, s.States, s.Ends, s.Recoveries, s.Points, s.Restarts, how, s.Time.Round(time.Millisecond))
}

// Limits end a search before it is done. Zero is no limit.
type Limits struct {
	Runs int
	Time time.Duration
}

// frame is one decision on the path to the current state.
type frame struct {
	options []action
	taken   int
	// spent is how many preemptions the path used before it.
	spent int
}

// search is a depth-first search over schedules. Runs cannot be copied, so each
// new path is run from the beginning.
type search struct {
	sc      *Scenario
	know    *knowledge
	stack   []frame
	visited map[uint64]int // state → preemptions spent when it was reached
	limits  Limits
	stats   Stats
	safe    *recovery
}

// Explore searches all schedules of sc. It returns what it did, and the first
// finding with the trace that leads to it.
var lastSearch *search

func Explore(sc *Scenario, limits Limits) (Stats, *Failure) {
	s := &search{sc: sc, know: newKnowledge(sc), limits: limits, safe: newRecovery(sc)}
	s.know.afterEffect = s.safe.check
	lastSearch = s
	start := time.Now()
	failure := s.run()
	s.stats.Time = time.Since(start)
	s.stats.Points = len(s.know.points)
	s.stats.Recoveries = s.safe.done
	return s.stats, failure
}

func (s *search) run() *Failure {
	s.warmUp()
	start := time.Now()
	for {
		s.stack, s.visited = nil, map[uint64]int{}
		learned := s.know.learned
		done := true
		for more := true; more; more = s.backtrack() {
			if f := s.once(); f != nil {
				return f
			}
			if s.know.learned != learned {
				done = false // the paths so far missed scheduling points
				s.stats.Restarts++
				break
			}
			if s.limits.Runs > 0 && s.stats.Runs >= s.limits.Runs ||
				s.limits.Time > 0 && time.Since(start) > s.limits.Time {
				s.stats.States = len(s.visited)
				return nil
			}
		}
		if done {
			s.stats.States = len(s.visited)
			s.stats.Exhaustive = s.sc.Preemptions < 0
			return nil
		}
	}
}

// once runs the path on the stack and goes on from there, always taking the first
// option, to the end or to a state that is known.
func (s *search) once() *Failure {
	w := newWorld(s.sc, s.know)
	defer w.end()
	s.stats.Runs++
	depth, spent := 0, 0
	for w.finding == nil {
		options := w.options(s.sc.Preemptions < 0 || spent < s.sc.Preemptions)
		if len(options) == 0 {
			s.stats.Ends++
			w.finish()
			return s.explain(w)
		}
		choice := 0
		if len(options) > 1 {
			if depth == len(s.stack) {
				if !s.arrive(w, spent) {
					return nil
				}
				s.stack = append(s.stack, frame{options: options, spent: spent})
			}
			choice = s.stack[depth].taken
			depth++
		}
		spent += w.apply(options[choice])
	}
	s.stats.Steps += w.steps
	return s.explain(w)
}

// arrive tells whether the state is new, or reached with fewer preemptions spent
// than before.
func (s *search) arrive(w *World, spent int) bool {
	h := w.hash()
	if s.sc.Preemptions >= 0 && w.cur != nil {
		h = mix(h, uint64(w.cur.n))
	}
	before, known := s.visited[h]
	if known && before <= spent {
		return false
	}
	s.visited[h] = spent
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
	for i := range 200 {
		w := newWorld(s.sc, s.know)
		w.everything = true
		w.stroll(rand.New(rand.NewPCG(uint64(i), 1)))
		w.end()
	}
}

// Points lists the kinds of scheduling points in words.
func (k *knowledge) Points() (list []string) {
	for p := range k.points {
		s := p.verb.String() + " " + k.roles.names[p.on]
		if p.own {
			s = "own: " + s
		}
		if p.to != 0 {
			s += " to " + k.roles.names[p.to]
		}
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}
