package explore

import (
	"time"

	"genlock.dev/genlock/protocol"
)

// scenarios is everything that is explored, smallest first.
var scenarios = []*Scenario{
	// Two processes, every schedule.
	{Name: "first-use", After: settled, Preemptions: -1, Procs: both(tryOnce)},
	{Name: "acquire", Before: rooted, After: settled, Preemptions: -1, Polls: 2, Procs: both(tenant)},
	{Name: "acquire-crash", Before: rooted, After: settled, Preemptions: -1, Polls: 1, Crashes: 1, Procs: both(tenant)},
	{Name: "look", Before: rooted, After: settled, Preemptions: -1, Crashes: 1,
		Procs: []Part{{Do: tryOnce}, {Do: looker}}},
	{Name: "reclaim", Before: crashedHolder, After: settled, Preemptions: -1, Procs: both(tryOnce)},
	{Name: "claim", Before: crashedHolder, After: settled, Preemptions: -1, Procs: both(claimAnyway)},
	{Name: "claim-live", Before: rooted, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tryOnce}, {Do: claimAnyway}}},
	{Name: "late-claim", Before: crashedHolder, After: settled, Preemptions: -1,
		Procs: []Part{{Do: claimAnyway, Until: landing}, {Do: claimAnyway}}},
	{Name: "collect", Before: crashedHolder, After: settled, Preemptions: -1,
		Procs: []Part{{Do: claimAnyway}, {Do: (*Proc).Collect}}},
	{Name: "collect-litter", Before: crashedMaker, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tryOnce}, {Do: (*Proc).Collect}}},
	{Name: "collect-twice", Before: crashedMaker, After: settled, Preemptions: -1, Procs: both((*Proc).Collect)},
	{Name: "break", Before: rooted, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tryOnce}, {Do: breaker}}},
	{Name: "note", Before: rooted, After: settled, Preemptions: -1,
		Procs: []Part{{Do: failing}, {Do: breaker}}},
	{Name: "fallback", Before: rooted, After: settled, Preemptions: -1, Polls: 2,
		Oversleep: time.Minute, Always: failRetirement, Procs: both(tenant)},
	{Name: "empty", Before: emptyCurrent, After: settled, Preemptions: -1, Polls: 1, Procs: both(tenant)},
	{Name: "prune", Before: rooted, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tenant}, {Do: (*Proc).Prune}}},
	{Name: "prune-both", Before: rooted, After: settled, Preemptions: -1, Procs: both((*Proc).Prune)},
	{Name: "publish", Before: rooted, After: settled, Preemptions: -1, Artifact: "/c/out/tool",
		Procs: []Part{{Do: builder}, {Do: breaker}}},
	{Name: "adopt", Before: rooted, After: settled, Preemptions: -1, Polls: 1, Artifact: "/c/out/tool", Remember: true,
		Procs: []Part{{Do: builder}, {Do: (*Proc).Do}}},
	{Name: "fail", Before: rooted, After: settled, Preemptions: -1, Polls: 1, Artifact: "/c/out/tool", Remember: true,
		Procs: []Part{{Do: tenant}, {Do: (*Proc).Do}}},
	{Name: "cancel", Before: rooted, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tenant, Cancel: true}, {Do: (*Proc).Cancel}}},
	{Name: "cancel-reclaim", Before: crashedHolder, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tenant, Cancel: true}, {Do: (*Proc).Cancel}}},
	{Name: "namespaces", Before: rooted, After: settled, Preemptions: -1, Polls: 1, Crashes: 1, Procs: apart(tryOnce)},
	{Name: "child", Before: rooted, After: settled, Preemptions: -1, Polls: 1,
		Procs: []Part{{Do: parent}, {Do: goOn, Child: true}, {Do: tryOnce}}},

	// Larger ones, as far as a few preemptions go.
	{Name: "reclaim-crash", Before: crashedHolder, After: settled, Preemptions: 1, Polls: 1, Crashes: 1, Procs: both(tryOnce)},
	{Name: "reclaim-wait", Before: crashedHolder, After: settled, Preemptions: 2, Polls: 2, Procs: both(tenant)},
	{Name: "lower", Before: bakedIn, After: settledLater, Lower: true, Preemptions: 2, Procs: both(tryOnce)},
	{Name: "lower-crash", Before: bakedIn, After: settledLater, Lower: true, Preemptions: 1, Crashes: 1, Procs: both(tryOnce)},
	// A claim that is copied has no witness, so that newcomers elsewhere cannot judge it.
	{Name: "lower-backwards", Before: bakedIn, Lower: true, Backwards: true, Immortal: true, Preemptions: 2, Procs: apart(tryOnce)},
	{Name: "claim-acquire", Before: crashedHolder, After: settled, Preemptions: 2, Procs: both(reclaimer)},
	{Name: "prune-crash", Before: rooted, After: settled, Preemptions: 1, Crashes: 1,
		Procs: []Part{{Do: tryOnce}, {Do: pruneAndHold}}},
	{Name: "prune-reclaim", Before: crashedHolder, After: settled, Preemptions: 2,
		Procs: []Part{{Do: tryOnce}, {Do: (*Proc).Prune}}},
	{Name: "break-acquire", Before: rooted, After: settled, Preemptions: 3, Polls: 1,
		Procs: []Part{{Do: twice}, {Do: breaker}}},
	{Name: "lies", Before: rooted, After: settled, Preemptions: 2, Polls: 1, Faults: 1, Fault: anyRename, Procs: both(tenant)},
	{Name: "lies-reclaim", Before: crashedHolder, After: settledLater, Preemptions: 1, Polls: 1, Faults: 1, Fault: anyRename,
		Procs: both(tenant)},
	{Name: "publish-build", Before: rooted, After: settled, Preemptions: 2, Polls: 1, Artifact: "/c/out/tool",
		Procs: []Part{{Do: builder}, {Do: breakAndBuild}}},
	{Name: "publish-beside", Before: rooted, After: settled, Preemptions: 2, Polls: 1,
		Artifact: "/m/tool", Mount: "/m", Replace: true,
		Procs: []Part{{Do: builder}, {Do: breakAndBuild}}},
	{Name: "foreign", Before: rooted, After: settledWithoutForeign, Preemptions: 3, Polls: 1, Format: protocol.TTSC,
		Crashes: 1, Procs: []Part{{Do: tryOnce}, {Do: Foreign}}},
	{Name: "by-hand", Before: rooted, Preemptions: 3, Polls: 1, ByHand: true,
		Procs: []Part{{Do: tenant}, {Do: remover}}},

	// Three processes.
	{Name: "three", Before: rooted, After: settled, Preemptions: 1, Crashes: 1,
		Procs: []Part{{Do: tryOnce}, {Do: tryOnce}, {Do: tryOnce}}},
	{Name: "three-reclaim", Before: crashedHolder, After: settled, Preemptions: 1, Crashes: 1,
		Procs: []Part{{Do: tryOnce}, {Do: tryOnce}, {Do: tryOnce}}},
	{Name: "three-lower", Before: bakedIn, After: settledLater, Lower: true, Preemptions: 2, Crashes: 1,
		Procs: []Part{{Do: tryOnce}, {Do: tryOnce}, {Do: (*Proc).Collect}}},
	{Name: "three-foreign", Before: rooted, After: settledWithoutForeign, Preemptions: 1, Polls: 1, Format: protocol.TTSC,
		Crashes: 1, Procs: []Part{{Do: tryOnce}, {Do: Foreign}, {Do: Foreign}}},
	{Name: "three-prune", Before: rooted, After: settled, Preemptions: 2,
		Procs: []Part{{Do: tryOnce}, {Do: tryOnce}, {Do: (*Proc).Prune}}},
	{Name: "three-cancel", Before: rooted, After: settled, Preemptions: 2, Polls: 1,
		Procs: []Part{{Do: tenant, Cancel: true}, {Do: (*Proc).Cancel}, {Do: tenant}}},
	{Name: "three-cancel-reclaim", Before: crashedHolder, After: settled, Preemptions: 2, Polls: 1,
		Procs: []Part{{Do: tenant, Cancel: true}, {Do: (*Proc).Cancel}, {Do: tenant}}},
	{Name: "three-claims", Before: crashedHolder, After: settled, Preemptions: 2,
		Procs: []Part{{Do: claimAnyway}, {Do: claimAnyway}, {Do: claimAnyway}}},
	{Name: "two-breakers", Before: rooted, After: settled, Preemptions: 2, Polls: 1,
		Procs: []Part{{Do: tenant}, {Do: breaker}, {Do: breaker}}},
	{Name: "three-break", Before: rooted, After: settled, Preemptions: 2, Polls: 1,
		Procs: []Part{{Do: tenant}, {Do: tenant}, {Do: breaker}}},
}

func both(do func(*Proc)) []Part { return []Part{{Do: do}, {Do: do}} }

// apart are two processes in different PID namespaces.
func apart(do func(*Proc)) []Part { return []Part{{Do: do}, {Do: do, PIDNS: "7"}} }
