package operate

import (
	"fmt"
	"time"

	"genlock.dev/genlock/protocol"
)

// History is what is known about the past of some locks: from the event log, from
// the notes about failed and broken tenures, and from the locks as they are now.
type History struct {
	Lanes []*Lane // processes, those of one host together
	Holds []*Hold
	Waits []*Wait
	Marks []Mark
	// Notes are last.json of tenures that the log does not tell about.
	Notes      []Note
	Begin, End time.Time
	Now        time.Time // when it was told
	// Bad counts lines of the log that could not be read.
	Bad int
}

// Lane is one process.
type Lane struct {
	Host, Label string
	PID         int
	first       time.Time
	key         string
	index       int
}

// Name is the process in a few words.
func (l *Lane) Name() string { return fmt.Sprintf("%s/%d", l.Host, l.PID) }

// Hold is one tenure of one lock.
type Hold struct {
	Lane       *Lane
	Lock       string
	Generation protocol.ID
	Begin, End time.Time
	Outcome    Outcome
	// Detail is the exit status, the evidence, or who broke it.
	Detail   string
	Artifact string // what was published
	ended    bool
}

// Outcome is how a tenure ended.
type Outcome string

const (
	Released Outcome = "released"
	Failed   Outcome = "failed"
	Crashed  Outcome = "crashed"
	Broken   Outcome = "broken"
	Lost     Outcome = "lost"
	Holding  Outcome = "holding"
	// Unseen: it ended, and nobody wrote down how.
	Unseen Outcome = "unseen"
)

// Wait is a time in which a process waited for one holder.
type Wait struct {
	Lane       *Lane
	Lock       string
	For        protocol.ID // the holder's generation; "" within one process
	Holder     string      // the holder in a few words
	Begin, End time.Time
	// Then is what came of it: acquired, adopted, gave-up, passed (another
	// holder came), or waiting.
	Then  string
	ended bool
}

// Mark is something that happened at one moment.
type Mark struct {
	Lane *Lane
	Lock string
	At   time.Time
	Kind string // reclaimed, adopted or breaks
	Text string
}

// Note is what last.json of a lock says.
type Note struct {
	Lock string
	Last *protocol.Last
}
