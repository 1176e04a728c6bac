package evidence

import (
	"strings"
	"time"
)

// margin is how much older than this boot a generation must be: clocks are set
// while a machine starts.
const margin = 60 * time.Second

// boot is rung 3: was the holder recorded on this machine before it started anew?
//
// Another boot id alone proves nothing: a guest, or a container with a boot id of
// its own, can share machine id, host name and files with its host. It cannot
// have made a generation before this kernel began. Network file systems show
// other machines' files, so the file system must be local.
//
// Of a torn generation only the name of the witness is left, which tells no host
// name. It is decided without: a record is torn by the crash of the very kernel
// that served this local file system, and nothing of the holder outlives that.
func boot(m Machine, p Party) Finding {
	same, known := sameBoot(m, p)
	if same {
		return Finding{Rung: Boot}
	}
	self, host := m.Self(), sayUnknownMachine
	if !p.torn() {
		host = bareHost(p.Record.Hostname)
	}
	_, machine := p.recorded()
	born := p.born()
	switch {
	case !p.torn() && !strings.EqualFold(host, self.Hostname):
		return silent(Boot, sayOtherHost, host, or(self.Hostname, sayUnnamed))
	case !known:
		return silent(Boot, sayBootUnknown, host)
	case !p.torn() && isCommon(host):
		return silent(Boot, sayCommonName, host)
	case !isKnown(machine) || !isKnown(self.Machine):
		return silent(Boot, sayNoMachineID, host)
	case machine != self.Machine:
		return silent(Boot, sayOtherMachine, host)
	case !p.Kind.Local:
		return silent(Boot, sayBootRemote, host, or(p.Kind.Name, sayUnknownKind))
	case self.BootedAt.IsZero():
		return silent(Boot, sayNoBootTime, host)
	case born.IsZero():
		return silent(Boot, sayNoBirth, host)
	case !born.Before(self.BootedAt.Add(-margin)):
		return silent(Boot, sayBornAfter, host)
	}
	return finding(Boot, Gone, sayRebooted)
}

// born is when the generation began, the later one if its names disagree.
func (p Party) born() time.Time {
	born, ok := p.ID.Time()
	if p.Witness != nil {
		if t, isTime := p.Witness.Of.Time(); isTime && (!ok || t.After(born)) {
			born, ok = t, true
		}
	}
	if !ok {
		return p.Born
	}
	return born
}

// bareHost drops what a process outside the initial PID namespace appends so
// that programs that judge by host name and pid leave it alone.
func bareHost(host string) string {
	host, _, _ = strings.Cut(host, "/pidns:")
	return host
}

// isCommon holds for names that machines have before anybody named them.
func isCommon(host string) bool {
	host = strings.ToLower(host)
	return host == "" || host == "(none)" || strings.HasPrefix(host, "localhost")
}
