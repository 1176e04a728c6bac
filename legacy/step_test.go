package legacy_test

import (
	"genlock.dev/genlock/internal/vfs/faultfs"
)

// actor is a process that stops before each of its operations and goes on only
// when it is told to.
type actor struct {
	*proc
	stopped chan bool // true: before an operation; false: it has ended
	resume  chan struct{}
	ended   bool
}

// stepwise runs do as an actor, which stands before its first operation.
func stepwise(p *proc, do func()) *actor {
	a := &actor{proc: p, stopped: make(chan bool), resume: make(chan struct{})}
	p.before = func(faultfs.Op) error {
		a.stopped <- true
		<-a.resume
		return nil
	}
	go func() {
		do()
		p.before = nil
		a.stopped <- false
	}()
	a.ended = !<-a.stopped
	return a
}

// step lets the actor do at most n operations; it says whether it goes on.
func (a *actor) step(n int) bool {
	for range n {
		if a.ended {
			return false
		}
		a.resume <- struct{}{}
		a.ended = !<-a.stopped
	}
	return !a.ended
}

// finish lets the actor run to its end.
func (a *actor) finish() {
	for a.step(1) {
	}
}

// countSteps tells how many operations do makes when nobody interferes.
func countSteps(p *proc, do func()) int {
	n := 0
	a := stepwise(p, do)
	for ; !a.ended; n++ {
		a.step(1)
	}
	return n
}
