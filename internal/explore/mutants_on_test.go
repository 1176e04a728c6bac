//go:build genlock_mutants

package explore

import (
	"flag"
	"testing"
	"time"

	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/protocol"
)

var onlyMutant = flag.String("mutant", "", "the one mistake to make")

// hunting says where each mistake is looked for.
var hunting = map[mutant.Name]*Scenario{
	mutant.RemovalByPath:       {Before: rooted, Procs: both(tryOnce)},
	mutant.VerdictBeforeClaim:  {Before: crashedHolder, Procs: both(tryOnce)},
	mutant.NoConfirmation:      {Before: crashedHolder, Procs: both(reclaimer)},
	mutant.HandleConfirmation:  {Before: crashedHolder, Procs: both(reclaimer)},
	mutant.TombstoneAtReclaim:  {Before: crashedHolder, Procs: both(reclaimer)},
	mutant.UncheckedRelease:    {Before: rooted, Procs: []Part{{Do: tenant}, {Do: remover}}, ByHand: true},
	mutant.IdentityByTime:      {Before: crashedHolder, Procs: both(reclaimer)},
	mutant.IdentityByInode:     {Before: crashedHolder, Procs: both(reclaimer), RealInodes: true},
	mutant.ReleasedIsAbandoned: {Before: rooted, Procs: []Part{{Do: twice}, {Do: tenant}}},
	mutant.AbsenceIsBuilt: {Before: rooted, Procs: []Part{{Do: tenant}, {Do: (*Proc).Do}},
		Artifact: "/c/out/tool", Remember: true},
	mutant.PIDAlone:               {Before: rooted, Procs: apart(tryOnce)},
	mutant.UnlinkFlocked:          {Before: rooted, Procs: []Part{{Do: tenant}, {Do: claimAnyway}}},
	mutant.EmptyIsHeld:            {Before: emptyCurrent, Procs: both(tenant)},
	mutant.FailureBelieved:        {Before: rooted, Procs: both(tenant), Faults: 1, Fault: anyRename},
	mutant.SharedCandidate:        {Before: rooted, Procs: both(tryOnce)},
	mutant.CheckThenRename:        {Before: rooted, Procs: []Part{{Do: builder}, {Do: breakAndBuild}}, Artifact: "/c/out/tool"},
	mutant.LitterInPlace:          {Before: rooted, Procs: []Part{{Do: tryOnce}, {Do: (*Proc).Collect}}},
	mutant.ExclusiveProbe:         {Before: crashedHolder, Procs: both(tryOnce)},
	mutant.ClaimsBeforeRetirement: {Before: rooted, Procs: []Part{{Do: tenant}, {Do: claimAnyway}}},
	mutant.WitnessFirst:           {Before: rooted, Procs: apart(tryOnce)},
	mutant.RetryAfterFallback: {Before: rooted, Procs: both(tenant), Oversleep: time.Minute,
		Always: failUntilComplete, Faults: 1, Fault: nothing},
	mutant.BreakWithoutClaim: {Before: rooted, Procs: []Part{{Do: twice}, {Do: breaker}}},
}

func both(do func(*Proc)) []Part { return []Part{{Do: do}, {Do: do}} }

// apart are two processes in different PID namespaces.
func apart(do func(*Proc)) []Part { return []Part{{Do: do}, {Do: do, PIDNS: "7"}} }

// failUntilComplete makes retiring fail until the generation says that it is done.
func failUntilComplete(p *Proc, o op) fault {
	if t := p.w.tenureAt(p.w.current()); t != nil && t.node.has(protocol.CompletionName) {
		return fault{}
	}
	return failRetirement(p, o)
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
		sc.Name, sc.Polls, sc.After = "mutant", 2, settled
		if sc.ByHand {
			sc.After = nil
		}
		mutant.Set(name)
		f, runs, took := hunt(sc)
		mutant.Set("")
		if f == nil {
			t.Errorf("%s: missed in %d runs, %s", name, runs, took)
			continue
		}
		t.Logf("caught %-46s %2d turns, %3d operations (%d runs, %s): %s", name, len(f.Schedule), f.Operations(), runs,
			took.Round(time.Millisecond), f.Finding)
		if *onlyMutant != "" {
			t.Log(f)
		}
	}
}

// hunt looks with more and more preemptions.
func hunt(sc *Scenario) (*Failure, int, time.Duration) {
	runs, start := 0, time.Now()
	for _, sc.Preemptions = range []int{0, 1, 2, 3, 4} {
		stats, f := Explore(sc, Limits{Time: 20 * time.Second})
		runs += stats.Runs
		if f != nil {
			return f, runs, time.Since(start)
		}
	}
	return nil, runs, time.Since(start)
}

var _ = memfs.Epoch
