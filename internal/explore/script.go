package explore

import (
	"context"
	"errors"
	"syscall"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
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
	// deadThen are the processes that were dead when the current call began.
	deadThen uint64
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
	return genlock.New(lockPath, &genlock.Options{Format: p.w.sc.Format})
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
			p.touch(lifetime, nodeID(q.n), "", reads)
		}
		if q.dead {
			p.marks.deadThen |= 1 << q.n
		}
	}
	p.end(false, p.marks.deadThen)
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
	if err != nil {
		p.done(2)
		p.trueRefusal(err)
		return nil
	}
	p.done(mixString(3, string(lease.Generation())))
	p.marks.acquired = p.w.effects
	p.marks.inTenure = lease.Generation()
	if t := p.w.tenures[lease.Generation()]; t == nil || t.owner != p {
		p.w.fail(ruleExclusion, "%s got a lease on %s, which it did not publish", p.name, lease.Generation())
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
	t := p.w.tenures[held.Seen.Generation]
	if t == nil || p.marks.deadThen>>t.owner.n&1 == 0 || p.w.kept(t, nil) {
		return
	}
	if h := held.Seen.Holder; h != nil && h.ChildOnly && p.w.hasChild() {
		return // a command that went on may have ended since it was looked at
	}
	if held.Seen.State == observer.Held || held.Seen.State == observer.Undecidable {
		p.w.fail(ruleVerdict, "%s was told that generation %s is %s (%s), whose holder %s was dead before it asked",
			p.name, t.id, held.Seen.State, held.Seen.Evidence, t.owner.name)
	}
}

// Fork starts a command: the process after this one, which inherits the witness.
func (p *Proc) Fork() {
	p.mark("starts a command")
	child := p.w.procs[p.n+1]
	child.state = ready
	for _, f := range p.locked {
		inner, err := child.fs.Inherit(f)
		if err != nil {
			p.w.fail("no panic", "%v", err)
			return
		}
		copied := &file{File: inner, p: child, node: f.node, dir: f.dir, held: &flock{child.n, f.held.exclusive}}
		p.w.disk.lock(f.node, *copied.held)
		child.locked = append(child.locked, copied)
	}
}

// Die is an end by itself, as exit(2).
func (p *Proc) Die() {
	p.mark("ends")
	p.w.leave(p)
	panic(unwound{})
}

// mark is a step of the script itself.
func (p *Proc) mark(what string) {
	p.alive()
	if !p.begin(op{verb: vMark, name: what, at: point{verb: vMark}}) {
		panic(unwound{})
	}
	p.calls++
	p.touch(section, 0, "", writes)
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
		if q == p || !q.marks.inside {
			continue
		}
		if t := p.w.tenures[q.marks.inTenure]; t != nil && !t.broken && !t.byHand && !p.w.sc.ByHand {
			p.w.fail(ruleExclusion, "%s works under the lock while %s does", p.name, q.name)
		}
	}
}

// Release ends a lease and checks what it said (rule 7).
func (p *Proc) Release(l *genlock.Lease) {
	p.call()
	err := l.Release()
	p.done(resultOf(err))
	t := p.w.tenures[l.Generation()]
	taken := t.byHand || t.broken || t.retiredBy != p || p.w.sc.ByHand
	switch {
	case errors.Is(err, genlock.ErrLost) && !taken:
		p.w.fail(ruleLost, "%s lost generation %s, which nobody took", p.name, t.id)
	case err != nil && !errors.Is(err, genlock.ErrLost) && !p.w.sc.faulty() && !p.w.sc.ByHand:
		p.w.fail(ruleErrors, "%s cannot release: %v", p.name, err)
	}
	if p.w.current() == t.node && !t.node.has(protocol.CompletionName) {
		p.w.fail(ruleRelease, "%s released generation %s (%v), and it is still current", p.name, t.id, err)
	}
}

// Claim claims what is current; nil when nothing is, or not any more.
func (p *Proc) Claim(root *fence.Root, id protocol.ID) *fence.Fence {
	p.call()
	f, err := fence.Claim(p.ctx, root, id)
	p.done(resultOf(err))
	if err != nil && !errors.Is(err, fence.ErrMoved) && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot claim: %v", p.name, err)
	}
	return f
}

// Root opens the lock's root.
func (p *Proc) Root() *fence.Root {
	p.call()
	root, err := fence.Open(p.ctx, lockPath, p.format())
	p.alive()
	if err != nil {
		return nil
	}
	return root
}

func (p *Proc) format() protocol.Format {
	if p.w.sc.Format == "" {
		return protocol.Genlock
	}
	return p.w.sc.Format
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
	return o
}

// Collect collects everything that can be.
func (p *Proc) Collect() {
	root := p.Root()
	if root == nil {
		return
	}
	_, err := retire.Collect(p.ctx, root, 0)
	root.Close()
	p.done(0)
	p.collected(err)
}

// Reclaim judges and retires what f fences; it tells whether it did.
func (p *Proc) Reclaim(f *fence.Fence) bool {
	p.call()
	_, err := retire.Reclaim(p.ctx, f)
	p.done(resultOf(err))
	var alive *retire.AliveError
	if err != nil && !errors.Is(err, fence.ErrMoved) && !errors.As(err, &alive) && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot reclaim: %v", p.name, err)
	}
	return err == nil
}

// Break retires what f fences on an operator's word.
func (p *Proc) Break(f *fence.Fence) bool {
	p.marks.breaking = f.Generation()
	p.call()
	err := retire.Break(p.ctx, f, retire.Word{By: "operator", Reason: "test"})
	p.done(resultOf(err))
	if err != nil && !errors.Is(err, fence.ErrMoved) && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot break: %v", p.name, err)
	}
	return err == nil
}

// Withdraw takes the claim back.
func (p *Proc) Withdraw(f *fence.Fence) {
	p.call()
	err := f.Withdraw()
	p.done(0)
	if err != nil && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot withdraw: %v", p.name, err)
	}
}

// Bury deletes a tombstone if nobody can act on it.
func (p *Proc) Bury(root *fence.Root, id protocol.ID) {
	p.call()
	_, err := retire.Bury(p.ctx, root, id)
	p.done(0)
	p.collected(err)
}

// collected: what a late claimant fills faster than it can be deleted is litter,
// which the next collection finds.
func (p *Proc) collected(err error) {
	if err != nil && !errors.Is(err, syscall.ENOTEMPTY) && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot collect: %v", p.name, err)
	}
}

// hasChild tells whether a process of the scenario is a command of another one.
func (w *World) hasChild() bool {
	for _, part := range w.sc.Procs {
		if part.Child {
			return true
		}
	}
	return false
}
