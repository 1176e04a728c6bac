package operate

import (
	"bufio"
	"encoding/json"
	"io"
	"time"

	"genlock.dev/genlock/protocol"
)

// record is one line of history's JSON. Fields that a kind does not have are left
// out.
type record struct {
	Schema     int         `json:"schema"`
	Kind       string      `json:"kind"` // hold, wait, mark or note
	Lock       string      `json:"lock"`
	Begin      time.Time   `json:"begin"`
	End        *time.Time  `json:"end,omitempty"`
	Seconds    *float64    `json:"seconds,omitempty"`
	PID        int         `json:"pid,omitempty"`
	Hostname   string      `json:"hostname,omitempty"`
	Label      string      `json:"label,omitempty"`
	Generation protocol.ID `json:"generation,omitempty"`
	// Outcome is how a hold ended, what came of a wait, or what a mark is.
	Outcome  string `json:"outcome"`
	Detail   string `json:"detail,omitempty"`
	Holder   string `json:"holder,omitempty"` // of a wait
	Artifact string `json:"artifact,omitempty"`
}

// WriteJSON writes holds, waits, marks and notes, each kind in the order of time.
func (h *History) WriteJSON(w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	write := func(r record) {
		r.Schema, r.Begin = protocol.Schema, r.Begin.UTC()
		enc.Encode(r) // out keeps the first error
	}
	for _, x := range h.Holds {
		r := during("hold", x.Lane, x.Lock, x.Begin, x.End)
		r.Generation, r.Outcome, r.Detail, r.Artifact = x.Generation, string(x.Outcome), x.Detail, x.Artifact
		write(r)
	}
	for _, x := range h.Waits {
		r := during("wait", x.Lane, x.Lock, x.Begin, x.End)
		r.Generation, r.Outcome, r.Holder = x.For, x.Then, x.Holder
		write(r)
	}
	for _, x := range h.Marks {
		write(record{Kind: "mark", Lock: x.Lock, Begin: x.At, PID: x.Lane.PID, Hostname: x.Lane.Host, Label: x.Lane.Label,
			Outcome: x.Kind, Detail: x.Text})
	}
	for _, x := range h.Notes {
		write(record{Kind: "note", Lock: x.Lock, Begin: x.Last.Time, Generation: x.Last.Generation, Outcome: x.Last.Outcome,
			Detail: x.Last.Message})
	}
	return out.Flush()
}

func during(kind string, l *Lane, lock string, begin, end time.Time) record {
	end = end.UTC()
	seconds := max(end.Sub(begin).Seconds(), 0)
	return record{Kind: kind, Lock: lock, Begin: begin, End: &end, Seconds: &seconds, PID: l.PID, Hostname: l.Host, Label: l.Label}
}
