package evidence

import "strings"

// old is rung 4: the record of another program, which has no more than a host
// name and a pid.
//
// Gone needs that no process on this machine has the number in any PID namespace,
// since the record does not say in which it was counted, and that the file
// system cannot show another machine's lock.
func old(m Machine, p Party) Finding {
	self, host, pid := m.Self(), bareHost(p.Record.Hostname), p.Record.PID
	switch {
	case host == "":
		return silent(OldRecord, sayOldNoHost, pid)
	case !strings.EqualFold(p.Record.Hostname, self.Hostname):
		return silent(OldRecord, sayOldHost, p.Record.Hostname, or(self.Hostname, sayUnnamed))
	case isCommon(host):
		return silent(OldRecord, sayOldCommon, host)
	case !self.InitialPIDNS:
		return silent(OldRecord, sayOldNamespace, pid)
	case pid == self.PID:
		return silent(OldRecord, sayOldSelf, pid)
	}
	info := m.Process(pid)
	switch {
	case info.State == Running || info.State == Stopped:
		f := finding(OldRecord, Alive, sayOldRuns, pid)
		f.Stopped = info.State == Stopped
		return f
	case info.State == Unknown:
		return silent(OldRecord, sayProcessUnknown, pid, info.Why)
	case !p.Kind.Local:
		return silent(OldRecord, sayOldRemote, pid, or(p.Kind.Name, sayUnknownKind))
	}
	switch exists, known := m.Anywhere(pid); {
	case !known:
		return silent(OldRecord, sayOldNamespace, pid)
	case exists:
		return silent(OldRecord, sayOldElsewhere, pid)
	}
	return finding(OldRecord, Gone, sayOldGone, pid)
}
