package evidence

import (
	"time"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Answer is what one rung says.
type Answer int

const (
	// Silent: the rung does not apply or could not be read.
	Silent Answer = iota
	// Alive: the holder, or a command it started, exists.
	Alive
	// Gone: it provably does not exist any more.
	Gone
	// Finished: it says itself that it is done, whatever its process does.
	Finished
)

func (a Answer) String() string { return name(int(a), "silent", "alive", "gone", "finished") }

// Rung is a step of the ladder.
type Rung int

const (
	Completion Rung = iota
	Witness
	Process
	Boot
	OldRecord
)

func (r Rung) String() string {
	return name(int(r), "completion", "witness", "process", "boot", "old record")
}

// name never panics: a number without a name is printed by callers, too.
func name(i int, names ...string) string {
	if i < 0 || i >= len(names) {
		return "unknown"
	}
	return names[i]
}

// Finding is what one rung found out. Why is a sentence for people: lower case,
// no full stop. A silent finding says why it is silent.
type Finding struct {
	Rung   Rung
	Answer Answer
	Why    string
	// ChildOnly: the holder itself is gone, a command it started goes on.
	ChildOnly bool
	// Stopped: the process exists and is stopped (SIGSTOP, or a debugger).
	Stopped bool
	// Withholds: a witness that should be there could not be looked at, so a
	// command of the holder may go on unseen. That its process is gone is
	// then not enough.
	Withholds bool
}

// Party is a holder or a claimant as its directory shows it.
type Party struct {
	// ID is the generation or the claim.
	ID protocol.ID
	// Dir is its directory. The caller keeps it open meanwhile.
	Dir vfs.Dir
	// Record is nil when it is missing, torn or unusable. It must not be nil
	// merely because it could not be read: that is for the caller to report.
	Record *protocol.Record
	// Witness is what the name of its witness file says; nil without one.
	Witness *protocol.Witness
	// Kind is the file system on which Dir lies.
	Kind vfs.Kind
	// Born is the modification time of Dir, the fallback for an ID that tells
	// no time. Clocks only withhold a verdict.
	Born time.Time
}
