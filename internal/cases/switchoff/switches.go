package main

// switchOff is one thing that is taken out: a piece of code that occurs once in a
// file, and what stands there instead.
type switchOff struct {
	name, file, code, instead string
	// scenario limits the run to these cases of TestCases, which take longer than
	// the tests of the ladder. Without it those are run.
	scenario string
}

func (s *switchOff) tests() []string {
	if s.scenario != "" {
		return []string{"-run", "^TestCases$/" + s.scenario, "./internal/cases"}
	}
	return []string{"./internal/evidence", "./internal/judge"}
}

// never makes a condition one that never holds.
func never(name, file, code string) switchOff {
	return switchOff{name: name, file: file, code: "case " + code, instead: "case false && " + code}
}

const (
	witnessFile = "internal/evidence/witness.go"
	takeFile    = "internal/evidence/take.go"
	processFile = "internal/evidence/process.go"
	procFile    = "internal/evidence/procfs_linux.go"
	bootFile    = "internal/evidence/boot.go"
	oldFile     = "internal/evidence/old.go"
	ladderFile  = "internal/evidence/ladder.go"
	signalFile  = "internal/evidence/signal.go"
	weighFile   = "internal/judge/weigh.go"
	holderFile  = "internal/judge/holder.go"
)

// inKind runs the scenarios around the groups, which know about completion.
func inKind(s switchOff) switchOff {
	s.scenario = "kind"
	return s
}

var switches = []switchOff{
	inKind(never("completion: recorded", holderFile, "g.Complete:")),
	inKind(never("completion: our own instance", holderFile, `g.Record.Process.Instance != "" &&`)),

	{name: "witness: locked is alive", file: witnessFile,
		code: "return finding(Witness, Alive, sayWitnessBusy)", instead: "return Finding{Rung: Witness}"},
	{name: "witness: free is gone", file: witnessFile,
		code: "return finding(Witness, Gone, sayWitnessFree)", instead: "return Finding{Rung: Witness}"},
	{name: "witness: only under the same kernel", file: witnessFile,
		code: "case !same:\n", instead: "case false:\n"},
	never("witness: only on local file systems", witnessFile, "!p.Kind.Local:"),
	never("witness: only where locks exclude", witnessFile, "whole && p.Record.Process.Witness"),
	never("witness: only the very file", witnessFile, "!isRecorded("),
	never("witness: only with a whole record", witnessFile, "!whole:"),
	{name: "witness: unreadable withholds", file: witnessFile, code: "f.Withholds = true", instead: "f.Withholds = false"},
	{name: "witness: the self-test", file: takeFile, code: "if err == nil && locked {", instead: "if false {"},

	{name: "process: running is alive", file: processFile,
		code: "return finding(Process, Alive, sayRuns, pid)", instead: "return Finding{Rung: Process}"},
	{name: "process: stopped is told", file: processFile, code: "f.Stopped = true", instead: "f.Stopped = false"},
	{name: "process: absent is gone", file: processFile,
		code: "return finding(Process, Gone, sayNoProcess, pid)", instead: "return Finding{Rung: Process}"},
	{name: "process: a zombie is gone", file: processFile,
		code: "return finding(Process, Gone, sayZombie, pid)", instead: "return finding(Process, Alive, sayZombie, pid)"},
	never("process: the start time", processFile, "start != info.Start:"),
	never("process: only in the same PID namespace", processFile, "r.PIDNS != self.PIDNS"),
	never("process: only in the same time namespace", processFile, "r.TimeNS != self.TimeNS:"),
	never("process: only in a known namespace", processFile, `r.PIDNS == "" ||`),
	{name: "process: only under the same kernel", file: processFile,
		code: "sameBoot(m, p); !same {", instead: "sameBoot(m, p); !same && false {"},
	{name: "process: EPERM means that it exists", file: signalFile,
		code: "errors.Is(err, syscall.EPERM)", instead: "false"},
	{name: "process: a missing /proc entry proves nothing", file: procFile,
		code: "return unknown(sayHidden)", instead: "return ProcessInfo{State: Absent}"},
	{name: "process: only in a /proc of our own", file: procFile,
		code: "if !p.own() {", instead: "if false {"},

	{name: "boot: another boot is gone", file: bootFile,
		code: "return finding(Boot, Gone, sayRebooted)", instead: "return Finding{Rung: Boot}"},
	never("boot: only with both boot ids", bootFile, "!known:"),
	never("boot: only under the same host name", bootFile, "!p.torn() && !strings.EqualFold("),
	never("boot: no host name of everybody's", bootFile, "!p.torn() && isCommon("),
	never("boot: only with machine ids", bootFile, "!isKnown(machine) ||"),
	never("boot: only on the same machine", bootFile, "machine != self.Machine:"),
	never("boot: only on local file systems", bootFile, "!p.Kind.Local:"),
	never("boot: only when it is known when it began", bootFile, "self.BootedAt.IsZero():"),
	never("boot: only when the birth is known", bootFile, "born.IsZero():"),
	never("boot: only what is older than this boot", bootFile, "!born.Before("),

	{name: "old: a pid that exists is alive", file: oldFile, code: "f := finding(OldRecord, Alive,", instead: "f := finding(OldRecord, Silent,"},
	{name: "old: a pid that is nowhere is gone", file: oldFile,
		code: "return finding(OldRecord, Gone, sayOldGone, pid)", instead: "return Finding{Rung: OldRecord}"},
	never("old: only with a host name", oldFile, `host == "":`),
	never("old: only under the same host name", oldFile, "!strings.EqualFold("),
	never("old: no host name of everybody's", oldFile, "isCommon(host):"),
	never("old: only from the first PID namespace", oldFile, "!self.InitialPIDNS:"),
	never("old: our own pid is no sign", oldFile, "pid == self.PID:"),
	never("old: only on local file systems", oldFile, "!p.Kind.Local:"),
	{name: "old: only with all processes in sight", file: oldFile, code: "case !known:", instead: "case false && !known:"},
	never("old: nowhere in any namespace", oldFile, "exists:"),

	never("weighing: a contradiction is alive", weighFile, "isAlive:"),
	never("weighing: gone, but unseen, is not gone", weighFile, "isGone && isUnseen"),
	never("ladder: what disagrees is not believed", ladderFile, "p.mixed():"),
	never("ladder: old records have their own rung", ladderFile, "p.Record != nil && !p.Record.Ours():\n\t\treturn []"),
	{name: "ladder: a command that is left is told", file: ladderFile, code: "w.ChildOnly = true", instead: "w.ChildOnly = false"},
}
