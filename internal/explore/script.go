package explore

import (
	"context"
	"errors"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// marks is what a script says about itself, for the rules.
type marks struct {
	inside   bool
	inTenure protocol.ID
	// breaking is the generation that it may retire on an operator's word.
	breaking protocol.ID
	looking  bool
	foreign  bool
	// untilStage: its life ends where it would begin to build.
	untilStage bool
	hand       bool
	// acquired and looked are moments, in effects so far.
	acquired, looked int
	// deadThen are the processes that were dead when the current call began, and
	// keptThen is the generation whose holder, or a command of it, was not.
	deadThen uint64
	keptThen protocol.ID
}

// alive ends the script of a process that died during a call.
func (p *Proc) alive() {
	if p.dead {
		panic(unwound{})
	}
}

// Context is what to call the real code with.
func (p *Proc) Context() context.Context { return p.ctx }

// Lock is the one lock of the world.
func (p *Proc) Lock() *genlock.Lock {
	return genlock.New(lockPath, p.w.sc.options())
}

// call is the step before a call into the real code: it remembers who is dead.
func (p *Proc) call() {
	p.alive()
	if !p.begin(op{verb: vMark, name: "calls", at: point{verb: vMark, on: 1}}) {
		panic(unwound{})
	}
	p.calls++
	p.marks.deadThen = 0
	for _, q := range p.w.procs[1:] {
		if q != p {
			p.touchLife(q, reads)
		}
		if q.dead {
			p.marks.deadThen |= 1 << q.n
		}
	}
	p.touchOldPlaces()
	p.marks.keptThen = ""
	if t := p.w.tenureAt(p.w.current()); t != nil && t.owner.dead && p.w.kept(t, func(n *node) { p.touch(locks, n, "", reads) }) {
		p.marks.keptThen = t.id
	}
	p.end(false, mixString(p.marks.deadThen, string(p.marks.keptThen)))
}

// done is the step after it: of all that was learned only the outcome matters.
func (p *Proc) done(outcome uint64) {
	p.alive()
	p.settle(outcome)
}

// Try is TryAcquire. nil means that somebody else holds the lock.
func (p *Proc) Try() *genlock.Lease { return p.acquire(p.Lock().TryAcquire) }

// Acquire waits. nil means that waiting was in vain.
func (p *Proc) Acquire() *genlock.Lease { return p.acquire(p.Lock().Acquire) }

func (p *Proc) acquire(how func(context.Context) (*genlock.Lease, error)) *genlock.Lease {
	p.call()
	lease, err := how(p.ctx)
	if lease != nil {
		p.leases = append(p.leases, lease)
	}
	p.alive()
	told := p.knows(err)
	if err != nil {
		p.done(2)
		p.leavesNothing()
		if !told {
			p.trueRefusal(err)
		}
		return nil
	}
	p.done(mixString(3, string(lease.Generation())))
	p.marks.acquired = p.w.effects
	p.marks.inTenure = lease.Generation()
	if t := p.w.tenures[lease.Generation()]; t == nil || t.owner != p {
		p.w.fail(ruleExclusion, "%s got a lease on %s, which it did not publish", p.name, lease.Generation())
	} else {
		p.cameBefore(t)
	}
	return lease
}

// trueRefusal: whoever is refused learns the truth (rules 5 and 9).
func (p *Proc) trueRefusal(err error) {
	var held *genlock.HeldError
	if !errors.As(err, &held) || held.Seen == nil {
		if !p.w.sc.ByHand && !p.w.sc.faulty() {
			p.w.fail(ruleErrors, "%s cannot acquire: %v", p.name, err)
		}
		return
	}
	p.decided(held.Seen)
	t := p.w.tenures[held.Seen.Generation]
	if t == nil || p.marks.deadThen>>t.owner.n&1 == 0 || p.marks.keptThen == t.id {
		return
	}
	if held.Seen.State == observer.Held {
		p.w.fail(ruleVerdict, "%s was told that generation %s is %s (%s), whose holder %s was dead before it asked",
			p.name, t.id, held.Seen.State, held.Seen.Evidence, t.owner.name)
	}
}

// decided: all that an explored world holds of a generation is whole, until somebody
// who has retired it deletes it. So there is always evidence, and whoever finds none
// has read what is not current any more (rule 6).
func (p *Proc) decided(o *observer.Observation) {
	if o.Generation != "" && (o.State == observer.Undecidable || o.State == observer.Damaged) && !p.w.sc.ByHand && !p.w.sc.faulty() {
		p.w.fail(ruleVerdict, "%s was told that generation %s is %s (%s)", p.name, o.Generation, o.State, o.Evidence)
	}
}

// mark is a step of the script itself.
func (p *Proc) mark(what string) {
	p.alive()
	if !p.begin(op{verb: vMark, name: what, at: point{verb: vMark}}) {
		panic(unwound{})
	}
	p.calls++
	p.touchSection()
	p.end(true, 0)
}

// Work is the critical section: nobody else may be in it.
func (p *Proc) Work() {
	p.mark("begins its work under the lock")
	p.exclusion()
	p.marks.inside = true
	p.mark("ends its work")
	p.marks.inside = false
}

// Inside begins work that does not end.
func (p *Proc) Inside() {
	p.mark("begins its work under the lock")
	p.exclusion()
	p.marks.inside = true
}

// exclusion: at most one works under the lock, except when an operator broke it
// or a person deleted it (rule 1).
func (p *Proc) exclusion() {
	for _, q := range p.w.procs[1:] {
		if q != p && q.marks.inside && !p.w.excused(p) && !p.w.excused(q) && !p.apartFromOld(q) {
			p.w.fail(ruleExclusion, "%s works under the lock while %s does", p.name, q.name)
		}
	}
}

// excused tells whether a person took the lock from p.
func (w *World) excused(p *Proc) bool {
	t := w.tenures[p.marks.inTenure]
	if p.old != nil {
		return false
	}
	return t == nil || t.broken || t.byHand || w.sc.ByHand
}

// Release ends a lease and checks what it said (rule 7).
func (p *Proc) Release(l *genlock.Lease) {
	p.call()
	before := p.robbed.window()
	err := l.Release()
	p.knows(err)
	p.done(resultOf(err))
	t := p.w.tenures[l.Generation()]
	taken := before != "" || p.robbed.window() != "" || t.byHand || t.broken || t.retiredBy != p || p.w.sc.ByHand
	switch {
	case before != "" && p.robbed.window() != "" && !errors.Is(err, genlock.ErrLost):
		p.w.fail(ruleOldTold, "%s lost its old lock (%s) and released it: %v", p.name, before, err)
	case errors.Is(err, genlock.ErrLost) && !taken:
		p.w.fail(ruleLost, "%s lost generation %s, which nobody took", p.name, t.id)
	case err != nil && !errors.Is(err, genlock.ErrLost) && !p.w.sc.faulty() && !p.w.sc.ByHand:
		p.w.fail(ruleErrors, "%s cannot release: %v", p.name, err)
	}
	if p.w.current() == t.node && !t.node.has(protocol.CompletionName) {
		p.w.fail(ruleRelease, "%s released generation %s (%v), and it is still current", p.name, t.id, err)
	}
}

// Status looks at the lock, which writes nothing (rule 4).
func (p *Proc) Status() *observer.Observation {
	p.call()
	p.marks.looking = true
	o, err := p.Lock().Status(p.ctx)
	p.done(0)
	p.marks.looking = false
	if err != nil && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot look: %v", p.name, err)
	}
	if err == nil {
		p.decided(o)
	}
	return o
}
