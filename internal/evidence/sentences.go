package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Every sentence that evidence and verdicts are explained with stands in this
// file, once. Lower case, no full stop; verbs are filled in by say. Silent
// reasons are clauses, so that two of them can be joined by And.
const (
	// Rung 0 is found by whoever reads the whole tree.
	SaidComplete    = "its holder recorded that it is done"
	SaidEmptied     = "it was retired already and is being emptied, since it cannot be renamed"
	SaidOwnInstance = "this very process published it and no lease of it is left"
	SaidNothing     = "it has not said that it is done"
	SaidNotPromised = "a record of its kind does not promise to say when it is done"

	// Alive.
	sayWitnessBusy      = "its witness is locked: the holder, or a command it started, exists"
	sayChildOnly        = "its witness is locked although pid %d is gone: a command it started goes on"
	sayChildOrRestored  = "its witness is locked although pid %d is another process now: a command it started goes on, or it was restored from a checkpoint"
	sayRuns             = "pid %d runs and is the same process (start time)"
	sayStopped          = "pid %d is the same process (start time) and is stopped"
	sayThisProcess      = "it is this very process, pid %d"
	sayOldRuns          = "pid %d exists on this host, and a record of this kind says no more"
	SayRunsWitnessFree  = "%s, although its witness is free"
	SayAliveAgainstGone = "%s, although another sign says that it is gone"

	// Gone.
	sayWitnessFree = "its witness is free: no process of the holder exists any more"
	sayNoProcess   = "pid %d does not exist any more"
	sayZombie      = "pid %d has ended and only waits to be reaped"
	sayOtherStart  = "pid %d is a different process now (start time)"
	sayRebooted    = "this machine was started anew since: no process of that time exists any more"
	sayOldGone     = "no process on this machine has the number %d in any PID namespace"

	// Undecidable: about the witness.
	sayDamaged       = "its record is unusable and no witness tells who made it"
	sayDisagree      = "its record and the name of its witness disagree, so neither is believed"
	sayNoWitness     = "it has no witness"
	sayWitnessNone   = "no lock could be proven on its witness, so that says nothing"
	sayUnreadable    = "its witness could not be looked at (%s)"
	sayFreeTorn      = "its witness is free, but its record is torn and does not say that this means anything"
	sayFreeRemote    = "its witness is free, but on %s that alone proves nothing"
	sayFreeElsewhere = "its witness is free, but it is not the file that the holder locked (another view of the directory, or a copy)"

	// Undecidable: about the process.
	sayNamespaceUnknown = "it cannot be told whether pid %d was counted in this PID namespace"
	sayOtherPIDNS       = "pid %d belongs to another PID namespace (%s, this is %s)"
	sayOtherTimeNS      = "pid %d was recorded in another time namespace (%s, this is %s), where start times differ"
	sayNoStart          = "pid %d exists, but without its start time it may be any process"
	sayProcessUnknown   = "pid %d could not be judged (%s)"
	sayProcForeign      = "/proc is missing or shows another PID namespace"
	sayHidden           = "something with that number exists, but it is hidden from us"
	sayProcUnreadable   = "its entry in /proc could not be understood"
	sayUnsupported      = "processes cannot be looked at on this system"
	sayNotAllowed       = "this system may hide it from us"
	sayBadAnswer        = "the system answered %s"

	// Undecidable: about the boot, for holders recorded elsewhere.
	sayBootUnknown    = "recorded on %s, and without both boot ids nothing proves that this is the same boot"
	sayOtherHost      = "recorded on %s, this is %s, and nothing proves that it is the same machine"
	sayCommonName     = "recorded on %s under another boot, and a name that every machine can have does not prove that it is this one"
	sayNoMachineID    = "recorded on %s under another boot, and without both machine ids nothing proves that it is this machine"
	sayOtherMachine   = "recorded on %s, and the machine id recorded is not that of this machine"
	sayBootRemote     = "recorded on %s under another boot, and on %s it may be another machine of that name"
	sayNoBootTime     = "recorded on %s under another boot, and it is unknown when this one began"
	sayNoBirth        = "recorded on %s under another boot, and it is unknown when it began"
	sayBornAfter      = "recorded on %s under another boot, but it is not older than this one, so it may be a guest of this machine"
	sayUnnamed        = "a machine without a name"
	sayUnknownKind    = "an unknown file system"
	sayUnknownMachine = "a machine that its torn record does not name"

	// Undecidable: old records.
	sayOldHost      = "recorded on %s, this is %s, and a record of this kind has nothing to prove that it is the same machine"
	sayOldNoHost    = "a record of this kind names no host, so pid %d may be on any machine"
	sayOldCommon    = "recorded on %s, a name that every machine can have"
	sayOldSelf      = "pid %d is this very process, which may have got the number after the holder ended"
	sayOldRemote    = "pid %d is not seen here, but on %s the holder may be on another machine"
	sayOldNamespace = "a record of this kind does not say in which PID namespace pid %d was counted, and from here not all can be seen"
	sayOldElsewhere = "pid %d exists in another PID namespace of this machine, and a record of this kind does not say in which it was counted"

	// Undecidable: what is said when several rungs are silent.
	And           = "%s, and %s"
	SayWithheld   = "%s, but %s, and a command it started may go on"
	SayNoEvidence = "there is nothing to judge it by"
)

// say fills a sentence. What comes from a record or an error is cleaned first:
// it is a stranger's text on somebody's terminal.
func say(sentence string, args ...any) string {
	for i, a := range args {
		switch v := a.(type) {
		case string:
			args[i] = clean(v)
		case error:
			args[i] = clean(cause(v))
		}
	}
	return fmt.Sprintf(sentence, args...)
}

// cause is the part of a file error that is not the path, which the caller's
// message names anyway.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func clean(s string) string {
	const most = 100
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}
