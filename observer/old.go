package observer

import (
	"fmt"
	"strings"

	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/protocol"
)

// OldLock is a lock of an older protocol that stands at the lock's own path, or
// beside it. What is known of its holder is as its record tells.
type OldLock struct {
	Dialect string `json:"dialect"`
	// State is "held" after a quick look, and the verdict about its holder
	// after one by its dialect's rules: alive, undecidable, gone, finished.
	State string `json:"state"`
	Path  string `json:"path"`
	Why   string `json:"why,omitempty"`
	Next  string `json:"next,omitempty"` // what a person can do about it

	PID        int         `json:"pid,omitempty"`
	Hostname   string      `json:"hostname,omitempty"`
	StartedAt  string      `json:"started_at,omitempty"`
	Token      string      `json:"token,omitempty"`
	Generation protocol.ID `json:"generation,omitempty"`
	// Genlock: genlock wrote it, in hold mode.
	Genlock bool `json:"genlock,omitempty"`
	// Strange: it is probably no lock at all, but somebody's own directory.
	Strange bool `json:"-"`
}

// SetOld puts what is known of the old lock beside our own; nil is none. A lock that
// nobody holds in our way is in the state that the old one's verdict gives it.
func (o *Observation) SetOld(old *OldLock) {
	bare := o.Generation == "" && (o.State == Free || o.Old != nil)
	o.Old = old
	if !bare {
		return
	}
	if old == nil {
		o.State, o.Evidence, o.Verdict, o.Next = Free, "", nil, ""
		return
	}
	verdict := old.State
	switch verdict {
	case judge.Alive.String():
		o.State = Held
	case judge.Gone.String(), judge.Finished.String():
		o.State = Abandoned
	default:
		o.State, verdict = Undecidable, judge.Undecidable.String()
	}
	o.Evidence, o.Verdict = old.Why, &verdict
	o.Next = o.advice()
}

// describe says who holds the old lock, for the end of a sentence.
func (o *OldLock) describe() string {
	var b strings.Builder
	b.WriteString("is held by ")
	switch {
	case o.Strange:
		return "is blocked by a directory at its own path: " + o.Why
	case o.Genlock:
		b.WriteString("genlock")
	default:
		fmt.Fprintf(&b, "an older tool (%s)", o.Dialect)
	}
	if o.PID > 0 {
		fmt.Fprintf(&b, ", pid %d", o.PID)
	}
	if o.Hostname != "" {
		b.WriteString(" on " + Command([]string{o.Hostname}))
	}
	if o.StartedAt != "" {
		b.WriteString(" since " + Command([]string{o.StartedAt}))
	}
	if o.State != string(Held) {
		b.WriteString(", " + o.State)
	}
	return b.String() + ": " + o.Why
}
