package evidence

import (
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/protocol"
)

// process is rung 2: does the process that the record names exist, and is it
// still the same one?
//
// A pid means something only under the same kernel and in the same PID
// namespace, a start time only in the same time namespace. Inode numbers of
// namespaces are reused, but not while the holder keeps its own alive: a live
// holder with our numbers is in our namespaces. Our own pid is no exception: in
// the next container the holder may have had it.
func process(m Machine, p Party) Finding {
	if p.Record == nil || p.torn() {
		return Finding{Rung: Process}
	}
	if same, _ := sameBoot(m, p); !same {
		return Finding{Rung: Process}
	}
	self, r, pid := m.Self(), p.Record.Process, p.Record.PID
	switch {
	case r.PIDNS == "" || self.PIDNS == "" || r.TimeNS == "" || self.TimeNS == "":
		return silent(Process, sayNamespaceUnknown, pid)
	case r.PIDNS != self.PIDNS && !mutant.On(mutant.PIDAlone):
		return silent(Process, sayOtherPIDNS, pid, r.PIDNS, self.PIDNS)
	case r.TimeNS != self.TimeNS:
		return silent(Process, sayOtherTimeNS, pid, r.TimeNS, self.TimeNS)
	}
	info := m.Process(pid)
	switch info.State {
	case Absent:
		return finding(Process, Gone, sayNoProcess, pid)
	case Dead:
		// Whether it is the holder or a later process of that number: the
		// holder does not run.
		return finding(Process, Gone, sayZombie, pid)
	case Running, Stopped:
		return sameProcess(self, info, r.Start, pid)
	}
	return silent(Process, sayProcessUnknown, pid, info.Why)
}

func sameProcess(self *Self, info ProcessInfo, start protocol.Number, pid int) Finding {
	switch {
	case start == "" || info.Start == "":
		return silent(Process, sayNoStart, pid)
	case start != info.Start:
		return finding(Process, Gone, sayOtherStart, pid)
	case info.State == Stopped:
		f := finding(Process, Alive, sayStopped, pid)
		f.Stopped = true
		return f
	case pid == self.PID:
		return finding(Process, Alive, sayThisProcess, pid)
	}
	return finding(Process, Alive, sayRuns, pid)
}
