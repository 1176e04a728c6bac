package legacy

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Verdict says what is known about the holder of an old lock.
type Verdict string

// The four verdicts. Only the last two permit to reclaim.
const (
	Alive       Verdict = "alive"
	Undecidable Verdict = "undecidable"
	Gone        Verdict = "gone"
	Finished    Verdict = "finished"
)

// Sight is what one look at an old lock saw. It may be old when it is read. What
// is known of the holder is as its record tells and decides nothing.
type Sight struct {
	Dialect string  `json:"dialect"`
	Path    string  `json:"path"`
	Verdict Verdict `json:"state"`
	// Why is the deciding evidence, or the reason why nothing is decided: one
	// sentence, lower case, no full stop.
	Why string `json:"why,omitempty"`
	// Next says what to do if waiting does not help.
	Next string `json:"next,omitempty"`

	PID        int         `json:"pid,omitempty"`
	Hostname   string      `json:"hostname,omitempty"`
	StartedAt  string      `json:"started_at,omitempty"`
	Token      string      `json:"token,omitempty"`
	Generation protocol.ID `json:"generation,omitempty"`
	// Process: genlock wrote the record, in hold mode.
	Process bool `json:"genlock,omitempty"`
	// Self: this very process holds it.
	Self bool `json:"self,omitempty"`
	// Sure: the record is one that only this dialect writes. Of several
	// dialects that see the same directory the sure ones count.
	Sure bool `json:"-"`
	// Strange: it is probably no lock at all, but a directory of somebody's.
	// Nothing permits to move it.
	Strange bool `json:"-"`
	// current: see verdict.
	current bool
}

// Spent tells whether the holder can do nothing any more.
func (s *Sight) Spent() bool { return s.Verdict == Gone || s.Verdict == Finished }

// Describe says in one line who holds the old lock, for the end of a sentence
// that began with its path.
func (s *Sight) Describe() string {
	var b strings.Builder
	b.WriteString("is held by ")
	switch {
	case s.Process && s.PID > 0:
		fmt.Fprintf(&b, "genlock, pid %d", s.PID)
	case s.PID > 0:
		fmt.Fprintf(&b, "an older program (%s), pid %d", s.Dialect, s.PID)
	default:
		fmt.Fprintf(&b, "an older program (%s)", s.Dialect)
	}
	if s.Hostname != "" {
		b.WriteString(" on " + s.Hostname)
	}
	if s.StartedAt != "" {
		b.WriteString(" since " + s.StartedAt)
	}
	fmt.Fprintf(&b, ", %s", s.Verdict)
	if s.Why != "" {
		b.WriteString(": " + s.Why)
	}
	if s.Next != "" {
		b.WriteString("; " + s.Next)
	}
	return b.String()
}

// tell fills in the facts of the record.
func (s *Sight) tell(rec *record) *Sight {
	if rec == nil {
		return s
	}
	s.PID, s.Hostname, s.StartedAt = rec.PID, clean(rec.Hostname), clean(rec.StartedAt)
	s.Token, s.Generation, s.Process = clean(rec.Token), rec.Generation, rec.Process != nil
	return s
}

// give fills in the verdict, and what an operator can do about one that leaves
// the matter open.
func (s *Sight) give(v verdict) *Sight {
	s.Verdict, s.Why, s.Self, s.current = Verdict(v.answer.String()), v.why, v.self, v.current
	s.Process = s.Process || v.ours
	if v.answer == judge.Undecidable {
		s.Next = "if you know that its holder is gone: genlock break --old " + s.Dialect
	}
	return s
}

// unreadable is what cannot be read for lack of permission: held by an unknown
// owner, never free (rule 13).
func unreadable(dialect, path string, cause error, info vfs.Info) *Sight {
	why := fmt.Sprintf("it cannot be read (%s), it belongs to user %d", causeOf(cause), info.UID)
	s := &Sight{Dialect: dialect, Path: path}
	return s.give(verdict{answer: judge.Undecidable, why: why})
}

func causeOf(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// clean keeps a stranger's control characters from a terminal.
func clean(s string) string {
	const most = 100
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}
