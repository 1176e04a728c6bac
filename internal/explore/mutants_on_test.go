//go:build genlock_mutants

package explore

import (
	"flag"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

var luck = flag.Int("luck", 6000, "random runs before the search")

var onlyMutant = flag.String("mutant", "", "the one mistake to make")

// hunting says where each mistake is looked for. Newcomers would make it as well,
// so that the worlds are not ended early, except where that is the point.
var hunting = map[mutant.Name]*Scenario{
	mutant.RemovalByPath:       {Procs: both(tryOnce)},
	mutant.VerdictBeforeClaim:  {Before: crashedHolder, Procs: both(tryOnce)},
	mutant.NoConfirmation:      {Before: crashedHolder, Procs: lateClaimant},
	mutant.HandleConfirmation:  {Before: crashedHolder, Procs: lateClaimant},
	mutant.TombstoneAtReclaim:  {Before: crashedHolder, Procs: claimants},
	mutant.UncheckedRelease:    {Before: rooted, Procs: []Part{{Do: tenant}, {Do: moverAndHolder}}, ByHand: true},
	mutant.IdentityByTime:      {Before: crashedHolder, Procs: lateClaimant},
	mutant.IdentityByInode:     {Before: crashedHolder, Procs: lateClaimant, RealInodes: true},
	mutant.ReleasedIsAbandoned: {Before: rooted, Procs: []Part{{Do: tryAndHold, Until: inside}, {Do: tenant, Until: asleepNow}}},
	mutant.AbsenceIsBuilt: {Before: rooted, Procs: []Part{{Do: tenant}, {Do: (*Proc).Do}},
		Artifact: "/c/out/tool", Remember: true},
	mutant.PIDAlone:               {Before: rooted, Procs: apart(tryOnce)},
	mutant.UnlinkFlocked:          {Before: rooted, Procs: []Part{{Do: tenant}, {Do: claimAnyway}}, After: settled},
	mutant.EmptyIsHeld:            {Before: emptyCurrent, Procs: both(tryOnce), After: nextTry},
	mutant.FailureBelieved:        {Before: rooted, Procs: both(tryOnce), Faults: 1, Fault: anyRename},
	mutant.SharedCandidate:        {Before: rooted, Procs: both(tryOnce)},
	mutant.CheckThenRename:        {Before: rooted, Procs: []Part{{Do: builder}, {Do: breakAndBuild}}, Artifact: "/c/out/tool"},
	mutant.LitterInPlace:          {Before: rooted, Procs: []Part{{Do: hold, Until: lockingWitness}, {Do: (*Proc).Collect}}},
	mutant.ExclusiveProbe:         {Before: crashedHolder, Procs: both(tryOnce)},
	mutant.ClaimsBeforeRetirement: {Before: rooted, Procs: []Part{{Do: tenant}, {Do: claimAnyway}}},
	mutant.WitnessFirst:           {Before: rooted, Procs: apart(tryOnce)},
	mutant.RetryAfterFallback: {Before: rooted, Procs: []Part{{Do: tryOnce}, {Do: hold}}, Oversleep: time.Minute,
		Always: failUntilComplete, Polls: 1},
	mutant.EmptiedByPath: {Before: bakedIn, Lower: true, Only: ruleExact,
		Procs: []Part{{Do: tryOnce, Until: emptying}, {Do: hold}}},
	mutant.RootUnheld: {Before: rooted, Procs: []Part{{Do: hold}, {Do: pruneAndHold}}},
	mutant.OldFirst: {Before: deadOld("token"), Dialects: "token=here", Hold: true, Only: ruleOldLive,
		Procs: []Part{{Do: besideOld, Ahead: muchLater, Until: movingAway}, {Do: besideOld, Ahead: muchLater}}},
	mutant.PlainTake:         {Before: rooted, Dialects: "mkdir", Hold: true, Procs: []Part{{Do: besideOld}, {Do: oldTenant, Old: "mkdir"}}},
	mutant.BreakWithoutClaim: {Before: rooted, Procs: []Part{{Do: tryAndHold, Until: inside}, {Do: breaker, Until: retiring}}},
	mutant.RecycledClaimed:   {Before: rooted, Procs: fifth(breaker)},
}

// claimants are two who see a dead holder. The first one is about to land its claim;
// the second one goes on to hold.
var claimants = []Part{{Do: claimAnyway, Until: landing}, {Do: claimAndHold}}

// lateClaimant is the same when the second one has retired the generation and is
// about to delete it.
var lateClaimant = []Part{{Do: claimAnyway, Until: landing}, {Do: claimAndHold, Until: deleting}}

func claimAndHold(p *Proc) {
	claimAnyway(p)
	hold(p)
}

// Where processes stand when a hunt begins.

func inside(p *Proc, o op) bool { return o.verb == vMark && p.marks.inside }

func asleepNow(_ *Proc, o op) bool { return o.verb == vSleep }

func deleting(p *Proc, o op) bool {
	return p.retired > 0 && o.verb == vOpenDir && strings.HasPrefix(o.name, "candidate-")
}

func emptying(p *Proc, o op) bool {
	n := p.w.current()
	return o.verb == vOpenDir && o.name == protocol.CurrentName && n != nil && p.w.standsIn(n)
}

func retiring(_ *Proc, o op) bool { return o.verb == vRename && o.name == protocol.CurrentName }

func tryAndHold(p *Proc) {
	tryOnce(p)
	hold(p)
}

// moverAndHolder moves the held generation away by hand, which leaves no tombstone,
// and takes the lock.
func moverAndHolder(p *Proc) {
	p.marks.hand = true
	if d, err := p.env.FS.OpenDir(rootPath); err == nil {
		d.Rename(protocol.CurrentName, d, "mine", vfs.Plain)
		d.Close()
	}
	p.done(0)
	p.marks.hand = false
	hold(p)
}

// failUntilComplete makes retiring fail until the holder has said that it is done.
func failUntilComplete(p *Proc, o op) fault {
	for _, t := range p.w.tenures {
		if t.owner == p && t.finished {
			return fault{}
		}
	}
	return failRetirement(p, o)
}

func nameOf(n mutant.Name) string { return strings.ReplaceAll(string(n), " ", "-") }

func init() {
	honest := scenarioOf
	scenarioOf = func(name string) *Scenario {
		for n, sc := range hunting {
			if nameOf(n) == name {
				mutant.Set(n)
				sc.Name, sc.Polls = name, max(sc.Polls, 1)
				return sc
			}
		}
		return honest(name)
	}
}

func TestMutants(t *testing.T) {
	defer mutant.Set("")
	for _, name := range mutant.All() {
		if *onlyMutant != "" && string(name) != *onlyMutant {
			continue
		}
		sc := hunting[name]
		if sc == nil {
			t.Errorf("%s: nowhere looked for", name)
			continue
		}
		sc.Name, sc.Preemptions, sc.Immortal = nameOf(name), -1, true
		sc.Polls = max(sc.Polls, 1)
		mutant.Set(name)
		stats, f := hunt(sc)
		mutant.Set("")
		if f == nil {
			t.Errorf("%s: missed in %d runs, %s", name, stats.Runs, stats.Time)
			continue
		}
		t.Logf("caught %-46s %2d turns, %3d operations (%d runs, %s): %s", name, len(f.Schedule), f.Operations(), stats.Runs,
			stats.Time.Round(time.Millisecond), f.Finding)
		if *onlyMutant != "" {
			t.Log(f)
		}
	}
}

// hunt tries its luck first, and then everything.
func hunt(sc *Scenario) (stats Stats, f *Failure) {
	luck, f := Hunt(sc, 1, Limits{Runs: *luck})
	if f != nil {
		return luck, f
	}
	stats, f = Explore(sc, Limits{Steps: 10_000_000})
	stats.Runs += luck.Runs
	stats.Time += luck.Time
	return stats, f
}

// nextTry is an end at which somebody gets the lock at once.
func nextTry(w *World) {
	w.Play(func(p *Proc) {
		if p.Try() == nil {
			w.fail(ruleProgress, "a newcomer cannot acquire at once what nobody holds")
		}
	})
}
