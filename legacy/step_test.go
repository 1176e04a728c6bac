package legacy_test

import (
	"strings"

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

// stepwise runs do as an actor, which stands before its first operation that
// matters.
func stepwise(p *proc, matters func(faultfs.Op) bool, do func()) *actor {
	a := &actor{proc: p, stopped: make(chan bool), resume: make(chan struct{})}
	p.before = func(op faultfs.Op) error {
		if !matters(op) {
			return nil
		}
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

// toOld is what an old program does by path, each one step: it opens the parent
// only because package vfs wants it.
func toOld(op faultfs.Op) bool {
	switch op.Verb {
	case faultfs.OpenParent, faultfs.OpenDir, faultfs.Lstat, faultfs.Rename, faultfs.Write:
		return true
	}
	return false
}

// toUs leaves out what no other actor of these tests can notice, or be noticed
// by: opening a parent, closing, and our own root, which old programs do not know.
func toUs(op faultfs.Op) bool {
	switch op.Verb {
	case faultfs.OpenParent, faultfs.Close, faultfs.Kind, faultfs.Stat, faultfs.Flock, faultfs.Chmod, faultfs.Read:
		return false
	}
	return !strings.Contains(op.Path, lock+".v3") || strings.HasSuffix(op.To, "/current") || strings.HasSuffix(op.Path, "/current")
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
