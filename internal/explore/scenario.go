package explore

import (
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// Scenario is a scene and what happens in it.
type Scenario struct {
	Name   string
	Format protocol.Format // empty is protocol.Genlock
	Procs  []Part
	// Before sets the scene. What happens in it is not explored.
	Before func(*World)
	// After runs when nobody can move any more, with those who did not crash
	// idle and alive. Findings go to World.fail.
	After func(*World)
	// Crashes is how many processes may crash, at any step.
	Crashes int
	// Faults is how many operations get what Fault says.
	Faults int
	Fault  func(p *Proc, o op) []fault
	// Always is what becomes of an operation, without any choice.
	Always func(p *Proc, o op) fault
	// Polls is how often a sleeper is woken, at most, while others can run and
	// something changed. After that it sleeps until nobody else can.
	Polls int
	// Remember keeps what a waiter saw before it slept as part of its state. It
	// matters to Do alone, which looks at the artifact when a holder is done.
	Remember bool
	// Preemptions bounds how often a process that could go on has to wait for
	// another one; negative is no bound.
	Preemptions int

	// CollectAlways makes every release collect, instead of one in 64.
	CollectAlways bool
	// RealInodes gives inode numbers out again, as ext4 does. Then equal
	// states can look different, and fewer of them are recognised.
	RealInodes bool
	// Lower: current lies in an overlay's lower layer, where it cannot be renamed.
	Lower bool
	// Backwards: directories are listed in the opposite order.
	Backwards bool
	// Oversleep is how long a sleep takes at least.
	Oversleep time.Duration
	// Power keeps the log of what a power cut would lose.
	Power bool
	// Only, if not empty, is the one rule to look at.
	Only string
	// Immortal leaves out the newcomers that prove, after every change, that
	// all could die now.
	Immortal bool
	// ByHand: somebody deletes directories by hand, so that a lock can be
	// lost without any rule being broken.
	ByHand bool
	// Dialects and Hold are those of our processes.
	Dialects string
	Hold     bool
	// Windows are those through which old programs may take our old lock.
	Windows []window
	// Mount is where another file system is mounted, if any.
	Mount string
	// Artifact is the artifact that the processes build, if any.
	Artifact string
	Replace  bool
}

// Part is what one process does.
type Part struct {
	Do func(*Proc)
	// PIDNS is its PID namespace; empty is the first one.
	PIDNS string
	// Until, if not nil, is where the process stands when the exploration begins:
	// before the first operation for which it holds.
	Until func(*Proc, op) bool
	// Child: it is the command that the process before it starts.
	Child bool
	// Cancel: what it wants may be cancelled by the process after it.
	Cancel bool
	// Old is the old program that it runs; empty is genlock.
	Old string
	// Ahead is how far its clock is ahead of the scene.
	Ahead time.Duration
}

// fault is what becomes of an operation instead of itself, or the answer it gets
// although it happened.
type fault struct {
	number  int
	err     error
	instead bool // it does not happen
}

// Fails makes an operation fail. Lies makes it happen and report failure.
func Fails(err error) fault { return fault{err: err, instead: true} }

// Lies: see Fails.
func Lies(err error) fault { return fault{err: err} }

// options are those of our processes.
func (sc *Scenario) options() *genlock.Options {
	return &genlock.Options{Format: sc.Format, Dialects: sc.Dialects, Hold: sc.Hold}
}

func (w *World) faultsAt(p *Proc, o op) []fault {
	if w.sc.Fault == nil {
		return nil
	}
	return w.sc.Fault(p, o)
}

// faulty: operations fail for other reasons than a lost race.
func (sc *Scenario) faulty() bool { return sc.Faults > 0 || sc.Always != nil }
