// Package observer looks at a lock: who holds it, whether that holder is alive,
// and why. Looking writes nothing (rule 4).
package observer

import (
	"time"

	"genlock.dev/genlock/protocol"
)

// State is what a look found in one word.
type State string

const (
	Free        State = "free"
	Held        State = "held"        // the holder is alive
	Abandoned   State = "abandoned"   // the holder is provably gone or finished
	Undecidable State = "undecidable" // held, and nothing proves anything
	Damaged     State = "damaged"     // no record and no witness to judge by
	Quarantined State = "quarantined" // a guard forbids to reclaim it
	Foreign     State = "foreign"     // another format, or no lock root at all
	TooNew      State = "too-new"     // made by a later version
	Unreadable  State = "unreadable"  // no permission, or an I/O error
	Unsafe      State = "unsafe"      // a link or an odd file type in the way
)

// Observation is what one look saw. It may be old when it is read. Its JSON is
// that of `genlock status --json`.
type Observation struct {
	Schema     int             `json:"schema"`
	Lock       string          `json:"lock"`
	Format     protocol.Format `json:"format"`
	State      State           `json:"state"`
	Generation protocol.ID     `json:"generation,omitempty"`
	Holder     *Holder         `json:"holder"`
	Verdict    *string         `json:"verdict"` // null when free
	Evidence   string          `json:"evidence,omitempty"`
	Claims     int             `json:"claims"`
	Tombstones int             `json:"tombstones"`
	Last       *protocol.Last  `json:"last"`
	Old        *OldLock        `json:"old,omitempty"`
	Next       string          `json:"next,omitempty"` // the command to type
}

// Holder is who holds a generation, as its record tells. Nothing in it decides.
type Holder struct {
	PID          int      `json:"pid"`
	Hostname     string   `json:"hostname"`
	StartedAt    string   `json:"started_at,omitempty"`
	Label        string   `json:"label,omitempty"`
	Argv         []string `json:"argv,omitempty"`
	CWD          string   `json:"cwd,omitempty"`
	User         string   `json:"user,omitempty"`
	Stopped      bool     `json:"stopped"`
	ChildOnly    bool     `json:"child_only"`
	PIDNamespace string   `json:"pid_namespace,omitempty"`
	BootID       string   `json:"boot_id,omitempty"`
	// Witness is "flock", or "none" where locks exclude nobody: then a command
	// of the holder does not keep the lock when the holder is gone.
	Witness string `json:"witness,omitempty"`
	// Started is StartedAt if it is a time.
	Started time.Time `json:"-"`
	// Self: the record names this very process.
	Self bool `json:"self,omitempty"`
}

// VerdictText is the verdict, "" when the lock is free.
func (o *Observation) VerdictText() string {
	if o.Verdict == nil {
		return ""
	}
	return *o.Verdict
}
