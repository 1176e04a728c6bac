package genlock

import (
	"time"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/watch"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// opened prepares to wait in root. In a world of its own time, only its clock can
// wake us.
func (w *waiter) opened(root *fence.Root) {
	if w.env.RealTime() {
		r := seal.Open(root)
		w.line = watch.New(r.Dir, r.Info.ID(), r.Kind)
	}
}

// took lets the next one to the head of the line, now that we hold the lock.
func (w *waiter) took(root *fence.Root) {
	missing := w.line.Missing()
	w.line.Leave()
	if missing {
		generation.MakeQueue(root)
	}
}

// untilReport is how long the line may wait until there is something to do here. Of a
// lock that is free, and left to others, nothing is told.
func (w *waiter) untilReport(seen *observer.Observation, short bool) time.Duration {
	due := unbounded
	if w.lock.options.OnEvent != nil && seen.State != observer.Free {
		every := w.repeatsAfter()
		due = max(min(every-w.env.Clock.Now().Sub(w.reported), every), time.Millisecond)
	}
	if short {
		return min(due, reportEvery)
	}
	return due
}

// watched is what of a holder this process can watch. It needs the same kernel, and
// for its process the same numbers.
func (w *waiter) watched(seen *observer.Observation) watch.Holder {
	h := watch.Holder{Generation: string(seen.Generation)}
	self := w.env.Machine.Self()
	if seen.Holder == nil || self.Boot == "" || seen.Holder.BootID != self.Boot {
		return h
	}
	if self.PIDNS != "" && seen.Holder.PIDNamespace == string(self.PIDNS) && !seen.Holder.Self {
		h.PID = seen.Holder.PID
	}
	machine := self.Machine
	if machine == "" {
		machine = protocol.NoMachine
	}
	h.Witness = protocol.Witness{Of: seen.Generation, Machine: machine, Boot: self.Boot}.Name()
	return h
}
