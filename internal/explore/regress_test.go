package explore

import (
	"strings"
	"testing"

	"genlock.dev/genlock/protocol"
)

// follow runs a schedule told in words, one turn after the other:
//
//	"B until lock": B moves until its next step says lock
//	"B until lock, twice": the second time
//	"B": B moves to its end, or until it sleeps
//	"!B": B is killed
//
// and then whoever can still move. No rule may break.
func follow(t *testing.T, sc *Scenario, turns ...string) *World {
	t.Helper()
	know := newKnowledge(sc)
	t.Cleanup(know.coros.close)
	know.afterEffect = newRecovery(sc).hook()
	w := newWorld(sc, know)
	t.Cleanup(w.end)
	w.everything, w.record = true, true
	for _, turn := range turns {
		if !w.turn(turn) {
			t.Fatalf("%q does not happen; so far:\n%s", turn, strings.Join(words(w.trace), "\n"))
		}
	}
	w.rest()
	if w.finding != nil {
		t.Fatalf("%v; steps:\n%s", w.finding, strings.Join(words(w.trace), "\n"))
	}
	return w
}

// turn makes one turn happen; false when the process never gets there.
func (w *World) turn(turn string) bool {
	name, until, _ := strings.Cut(turn, " until ")
	if victim, crash := strings.CutPrefix(name, "!"); crash {
		w.apply(action{proc: int(victim[0]-'A') + 1, crash: true})
		return true
	}
	until, twice := strings.CutSuffix(until, ", twice")
	p := w.procs[int(name[0]-'A')+1]
	for moved := false; p.state == ready && !p.dead && w.finding == nil; moved = true {
		if moved && until != "" && strings.HasPrefix(p.doing.String(), until) {
			if !twice {
				return true
			}
			twice = false
		}
		w.apply(action{proc: p.n})
	}
	return until == "" || w.finding != nil
}

// A collector probes the witness of a candidate between its making and its locking.
// The maker took that for a file system that cannot lock, and its commands were
// not protected by a witness at all.
func TestProbeBeforeLock(t *testing.T) {
	sc := &Scenario{Name: "probe-before-lock", Before: rooted, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tryOnce}, {Do: (*Proc).Collect}}}
	follow(t, sc,
		"B until lock", // its new witness
		"C until close",
		"B",
		"C",
	)
}

// The same for a claim that is being made: whoever made it looks again.
func TestProbeBeforeLockOfClaim(t *testing.T) {
	sc := &Scenario{Name: "probe-claim", Before: crashedHolder, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tryOnce}, {Do: (*Proc).Collect}}}
	follow(t, sc,
		"B until make directory observer-candidate",
		"B until lock observer-candidate",
		"C until close observer-candidate",
		"B",
		"C",
	)
}

// A claim is taken for litter while it is being made. That was an error of acquiring
// instead of a reason to look again.
func TestClaimCollectedWhileMade(t *testing.T) {
	sc := &Scenario{Name: "claim-collected", Before: crashedHolder, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tryOnce}, {Do: (*Proc).Collect}}}
	follow(t, sc,
		"B until make directory observer-candidate",
		"B until lock observer-candidate",
		"C",
		"B",
	)
}

// A tombstone is deleted by one while another one reads it. That was an error of
// collecting.
func TestBuriedWhileRead(t *testing.T) {
	sc := &Scenario{Name: "buried-while-read", Before: crashedHolder, After: settled, Preemptions: -1,
		Procs: []Part{{Do: claimAnyway}, {Do: (*Proc).Collect}}}
	follow(t, sc,
		"B until rename retired/", // aside, to delete it
		"C until look at retired/a2/witness",
		"B",
		"C",
	)
}

// One is still copying what a tombstone in another's place needs, while another one
// has made it and empties the directory. That was an error of acquiring.
func TestEmptiedWhileCopied(t *testing.T) {
	sc := &Scenario{Name: "emptied-while-copied", Before: bakedIn, After: settledLater, Preemptions: -1, Lower: true,
		Procs: both(tryOnce)}
	follow(t, sc,
		"C until list current/observers",
		"B",
		"C",
	)
}

// A holder notes that its work failed while somebody breaks it and notes that. The two
// notes were prepared under one name, and breaking ended with an error.
func TestTwoNotes(t *testing.T) {
	fail := func(p *Proc) {
		l := p.Acquire()
		p.call()
		l.Failed(1, "exit status 1")
		p.done(0)
	}
	breakIt := func(p *Proc) {
		if f := p.Claim(p.Root(), p.Status().Generation); f != nil {
			p.Break(f)
		}
	}
	sc := &Scenario{Name: "two-notes", Before: rooted, Preemptions: -1, Immortal: true, Procs: []Part{
		{Do: fail, Until: func(_ *Proc, o op) bool {
			return changes(o.verb) && strings.HasPrefix(o.name, protocol.LastName)
		}},
		{Do: breakIt, Until: func(_ *Proc, o op) bool { return o.verb == vRename && o.toName == protocol.LastName }},
	}}
	stats, f := Explore(sc, Limits{Steps: 5_000_000})
	t.Log(stats)
	if f != nil {
		t.Error(f)
	}
}

// A claim lands in a generation that cannot be renamed, after the claims were copied
// for the tombstone in its place: the tombstone is buried while that claim is open,
// and its owner's rename, late by then, moves the successor.
func TestClaimAfterCopies(t *testing.T) {
	sc := &Scenario{Name: "claim-after-copies", Before: bakedIn, After: settledLater, Preemptions: -1, Lower: true,
		Procs: both(tryOnce)}
	follow(t, sc,
		"B until rename candidate-b3 to retired/",
		"C until rename current to retired/",
		"B until ends its work",
		"C",
	)
}

// An old lock that has to be kept alive is taken away between its making and its first
// touch. That was an error of acquiring instead of a reason to look again.
func TestLostBeforeFirstTouch(t *testing.T) {
	sc := *scenarioOf("hold-stale")
	follow(t, &sc,
		"B until touch k.lock",
		"C until begins its work",
		"B",
		"C",
		"B",
	)
}

// A dead generation that cannot be renamed is emptied in place by one, while another one
// has read what is left of it and looks for the tombstone: that is buried by then. The
// other one was told that nobody can know who holds the lock.
func TestBuriedWhileJudged(t *testing.T) {
	sc := &Scenario{Name: "buried-while-judged", Before: bakedIn, After: settledLater, Preemptions: -1, Lower: true,
		Procs: both(tryOnce)}
	follow(t, sc,
		"B until unlink current/generation",
		"C until look at retired/a2, twice", // it has claimed what is left, and confirmed
		"B",
		"C",
	)
}

// The same before it claims.
func TestBuriedWhileLookedAt(t *testing.T) {
	sc := &Scenario{Name: "buried-while-looked-at", Before: bakedIn, After: settledLater, Preemptions: -1, Lower: true,
		Procs: both(tryOnce)}
	follow(t, sc,
		"B until unlink current/generation",
		"C until look at retired/a2",
		"B",
		"C",
	)
}

// What is emptied in place lost its witness before its record, in the order in which
// some file systems list them. The record alone says nothing in another PID namespace.
func TestEmptiedWitnessFirst(t *testing.T) {
	follow(t, scenarioOf("lower-backwards"),
		"B until unlink current/owner.json",
		"C",
		"B",
	)
}

// A holder in another PID namespace releases the lock between two steps of a look: its
// record was read, and its witness was gone. That was called undecidable, on which some
// callers give up at once, instead of being looked at again.
func TestReleasedWhileJudged(t *testing.T) {
	sc := &Scenario{Name: "released-while-judged", Before: rooted, After: settled, Preemptions: -1, Procs: apart(tryOnce)}
	follow(t, sc,
		"B until ends its work",
		"C until open current/witness",
		"B",
		"C",
	)
}

// An old program that deletes by path has begun with a dead lock, and deletes its fence
// while ours moves it away. Ours took that for a lock of somebody else, and when its
// place was taken it reported that a live lock was displaced.
func TestFenceDeletedWhileMoved(t *testing.T) {
	follow(t, scenarioOf("hold-dead-mkdir"),
		"D until list k.lock",
		"C until rename k.lock to k.lock.retired-",
		"D until look at k.lock/owner.json", // it has deleted the fence
		"C until open directory k.lock/legacy-generation",
		"D until ends its work",
		"C",
	)
}
