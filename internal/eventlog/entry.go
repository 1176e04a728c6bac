// Package eventlog keeps the optional event log: what happened to which locks, by
// whom, and when. It is for people who ask later; no decision of the protocol
// reads it, and a log that cannot be written never disturbs a lock.
//
// A log is a file of JSON lines. Each entry is one write to a file opened for
// appending, so that many processes may share it. It is bounded: at half its
// limit the file becomes FILE.1, in place of the FILE.1 that was.
package eventlog

import (
	"encoding/json"
	"time"

	"genlock.dev/genlock/protocol"
)

// Entry is one line. Fields that an event does not have are left out. The words
// are those of `genlock run --json`.
type Entry struct {
	Schema int       `json:"schema"`
	Event  string    `json:"event"`
	Time   time.Time `json:"time"`
	// Lock is the lock's absolute path.
	Lock string `json:"lock"`
	// Generation is whose tenure the event is about: for waiting that of the
	// holder, for adopted that of the builder, otherwise that of the process.
	Generation protocol.ID `json:"generation,omitempty"`
	Process    Who         `json:"process"`
	Waited     float64     `json:"waited_seconds,omitempty"`
	// Holder is for whom the process waits, or whom it has taken the lock from.
	Holder   *Who     `json:"holder,omitempty"`
	State    string   `json:"state,omitempty"`
	Evidence string   `json:"evidence,omitempty"`
	Artifact string   `json:"artifact,omitempty"`
	Exit     *int     `json:"exit,omitempty"`
	By       string   `json:"by,omitempty"`
	Message  string   `json:"message,omitempty"`
	Errors   []string `json:"errors,omitempty"`
}

// Who is a process in the log.
type Who struct {
	// Instance tells processes apart whose numbers are equal; a holder that
	// somebody waits for is known without it.
	Instance protocol.ID `json:"instance,omitempty"`
	PID      int         `json:"pid"`
	Hostname string      `json:"hostname"`
	Label    string      `json:"label,omitempty"`
}

// Events that only the log tells, beside those of `run --json`.
const (
	// GaveUp: a wait ended without the lock.
	GaveUp = "gave-up"
	// Broken: an operator ended the generation, as those who wait saw it.
	Broken = "broken"
	// Breaks: the process of that operator, which ended it.
	Breaks = "breaks"
)

func (e *Entry) encode() ([]byte, error) {
	e.Schema, e.Time = protocol.Schema, e.Time.UTC()
	data, err := json.Marshal(e)
	return append(data, '\n'), err
}

// parse reads one line. A line of a later schema, or none at all, is not ok.
func parse(line []byte) (e Entry, ok bool) {
	err := json.Unmarshal(line, &e)
	return e, err == nil && e.Schema == protocol.Schema && e.Event != "" && e.Lock != "" && !e.Time.IsZero()
}
