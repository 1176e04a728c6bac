package main

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// jsonReport is for programs: one object a line.
type jsonReport struct {
	mu     sync.Mutex
	out    io.Writer
	plan   schedule
	holder protocol.ID
	any    bool // a wait was told
	lost   told
}

func newJSONReport(out io.Writer) *jsonReport { return &jsonReport{out: out} }

// jsonEvent is one line. Fields that an event does not have are left out.
type jsonEvent struct {
	Schema     int               `json:"schema"`
	Event      string            `json:"event"`
	Time       time.Time         `json:"time"`
	Lock       string            `json:"lock,omitempty"`
	Generation protocol.ID       `json:"generation,omitempty"`
	Waited     float64           `json:"waited_seconds,omitempty"`
	State      observer.State    `json:"state,omitempty"`
	Verdict    string            `json:"verdict,omitempty"`
	Evidence   string            `json:"evidence,omitempty"`
	Holder     *observer.Holder  `json:"holder,omitempty"`
	Old        *observer.OldLock `json:"old,omitempty"` // the old lock behind waiting and reclaimed
	Next       string            `json:"next,omitempty"`
	Artifact   string            `json:"artifact,omitempty"`
	Exit       *int              `json:"exit,omitempty"` // of the tenure that failed
	By         string            `json:"by,omitempty"`
	Message    string            `json:"message,omitempty"`
	Code       *int              `json:"code,omitempty"` // our exit status
	Source     string            `json:"source,omitempty"`
	Errors     []string          `json:"errors,omitempty"`
	Hint       string            `json:"hint,omitempty"`
}

func (r *jsonReport) event(e genlock.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Kind == genlock.EventLost && !r.lost.first(e.Generation) || e.Kind == genlock.EventWaiting && !r.tell(e) {
		return
	}
	line := jsonEvent{Event: string(e.Kind), Time: e.Time, Lock: e.Lock, Generation: e.Generation,
		Waited: e.Waited.Seconds(), Evidence: e.Evidence, Artifact: e.Artifact}
	if s := e.Seen; s != nil {
		line.State, line.Verdict, line.Holder, line.Next = s.State, s.VerdictText(), s.Holder, s.Next
		line.Old = s.Old
		if line.Evidence == "" {
			line.Evidence = s.Evidence
		}
	}
	if l := e.Last; l != nil {
		line.By, line.Message, line.Exit = l.By, l.Message, &l.Exit
		if e.Kind == genlock.EventLost {
			line.Exit = nil
		} else if l.Outcome == protocol.OutcomeBroken {
			line.Event, line.Exit = l.Outcome, nil
		}
	}
	if e.Err != nil {
		line.Errors = []string{e.Err.Error()}
	}
	r.write(line)
}

// tell thins out what is told about a wait: the first look, another holder, and
// then ever less often.
func (r *jsonReport) tell(e genlock.Event) bool {
	due := r.plan.due(e.Waited) || !r.any || e.Generation != r.holder
	r.any, r.holder = true, e.Generation
	return due
}

func (r *jsonReport) every() time.Duration { return seldom }

func (r *jsonReport) exit(o outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(jsonEvent{Event: "exit", Time: time.Now(), Code: &o.code, Source: o.source, Errors: o.say, Hint: o.hint})
}

func (r *jsonReport) write(line jsonEvent) {
	line.Schema, line.Time = protocol.Schema, line.Time.UTC()
	if data, err := json.Marshal(line); err == nil {
		r.out.Write(append(data, '\n'))
	}
}
