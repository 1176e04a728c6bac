package explore

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"genlock.dev/genlock/protocol"
)

// knowledge is what the runs of one search share.
type knowledge struct {
	roles *roles
	coros coros
	scene *scene
	races races
	// points are the kinds of scheduling points, and fresh those that were learned
	// since: schedules are told in points, so they stay the same during a pass.
	points, fresh map[point]bool
	// Roles that the rules speak of.
	root, retired, claim, observers, beside role
	// windows counts how old programs took our old lock, and what we put back.
	windows map[window]int
	// learned counts additions to points.
	learned int
	// afterEffect is called after every change of the simulated world.
	afterEffect func(*World)
}

func newKnowledge(sc *Scenario) *knowledge {
	k := &knowledge{roles: newRoles(), points: map[point]bool{{verb: vCrash}: true}, fresh: map[point]bool{}}
	id := strings.Repeat("0", 32)
	dir := k.roles.get(0, lockDir[1:])
	k.root = k.roles.get(dir, protocol.RootCandidateName(lockBase, protocol.ID(id)))
	k.retired = k.roles.get(k.root, protocol.RetiredName)
	k.claim = k.roles.get(k.root, protocol.ClaimCandidateName(protocol.ID(id), protocol.ID(id)))
	generation := k.roles.get(k.root, protocol.CandidateName(protocol.ID(id)))
	k.observers = k.roles.get(generation, protocol.ObserversName)
	beside := role(0)
	for name := range strings.SplitSeq(strings.Trim(filepath.Dir(sc.Artifact), "/"), "/") {
		beside = k.roles.get(beside, name)
	}
	k.beside = k.roles.get(beside, protocol.BesideName(filepath.Base(sc.Artifact), protocol.ID(id)))
	return k
}

func (k *knowledge) learn(p point) {
	if !k.points[p] && !k.fresh[p] {
		k.fresh[p] = true
		k.learned++
	}
}

// used lists the windows that old programs used.
func (k *knowledge) used() []window { return slices.Sorted(maps.Keys(k.windows)) }

// Stats is what a search did.
type Stats struct {
	Runs, States, Steps, Restarts, Points int
	Recoveries                            int // states from which a newcomer was let in
	Ends                                  int // runs that came to their own end
	// Complete: everything within the bounds was explored. Exhaustive: there
	// was no bound of preemptions.
	Complete, Exhaustive bool
	Time                 time.Duration
	// Windows are those that old programs used.
	Windows []window
}

func (s Stats) String() string {
	how := "cut short"
	switch {
	case s.Exhaustive:
		how = "exhaustive"
	case s.Complete:
		how = "bounded"
	}
	return fmt.Sprintf("%d runs, %d states, %d ends, %d recoveries, %d kinds of points, %d restarts, %s, %s",
		s.Runs, s.States, s.Ends, s.Recoveries, s.Points, s.Restarts, how, s.Time.Round(time.Millisecond))
}

// adopt makes scheduling points of what was learned.
func (k *knowledge) adopt() {
	maps.Copy(k.points, k.fresh)
	clear(k.fresh)
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
