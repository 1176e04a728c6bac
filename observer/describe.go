package observer

import (
	"fmt"
	"strings"
	"time"
)

// Describe says in one line who holds the lock and what is known of them, for
// the end of a sentence that began with the lock: "is held by pid 4711 (go
// build) on ci-3 since 14:02:11 (2m3s): alive: …". now is the reader's time.
func (o *Observation) Describe(now time.Time) string {
	switch o.State {
	case Free:
		return "is free"
	case Foreign, TooNew, Unreadable, Unsafe:
		return "cannot be used: " + o.Evidence
	}
	if o.Generation == "" && o.Old != nil {
		return o.Old.describe()
	}
	s := "is held by " + o.Holder.Describe(now)
	if v := o.VerdictText(); v != "" {
		s += ", " + v
	}
	if o.Evidence != "" {
		s += ": " + o.Evidence
	}
	return s
}

// Describe names the holder in a few words; it works on nil, a holder that
// nothing is known of.
func (h *Holder) Describe(now time.Time) string {
	if h == nil {
		return "an unknown holder"
	}
	var b strings.Builder
	if h.ChildOnly { // the evidence says that the process itself is gone
		b.WriteString("a command of ")
	}
	fmt.Fprintf(&b, "pid %d", h.PID)
	if what := h.what(); what != "" {
		fmt.Fprintf(&b, " (%s)", what)
	}
	fmt.Fprintf(&b, " on %s", h.Hostname)
	if h.User != "" {
		fmt.Fprintf(&b, " as %s", h.User)
	}
	if !h.Started.IsZero() {
		fmt.Fprintf(&b, " since %s", h.Started.Local().Format("15:04:05"))
		// A clock that runs apart must not print nonsense.
		if age := now.Sub(h.Started); age >= 0 && !now.IsZero() {
			fmt.Fprintf(&b, " (%s)", Duration(age))
		}
	}
	switch {
	case h.Self:
		b.WriteString(", which is this very process")
	case h.Stopped:
		b.WriteString(", which is stopped")
	}
	return b.String()
}

func (h *Holder) what() string {
	if h.Label != "" {
		return h.Label
	}
	return Command(h.Argv)
}

// Command joins argv for people, shortened, with control characters made visible.
func Command(argv []string) string {
	const most = 80
	s := strings.Join(argv, " ")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > most {
		s = string(r[:most-1]) + "…"
	}
	return s
}

// Duration prints a time span for people: whole seconds from 1 s on.
func Duration(d time.Duration) string {
	if d >= time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

// advice is the command to type next, "" when there is nothing to do.
func (o *Observation) advice() string {
	lock := Quote(o.Lock)
	switch o.State {
	case Undecidable:
		if o.Generation != "" {
			return fmt.Sprintf("genlock break %s --generation %s", lock, o.Generation)
		}
		if o.Old != nil && o.Old.Strange {
			return "ls -la " + Quote(o.Old.Path)
		}
		if o.Old != nil {
			return fmt.Sprintf("genlock break %s --old %s", lock, o.Old.Dialect)
		}
	case Quarantined:
		return fmt.Sprintf("genlock break %s --generation %s --quarantined", lock, o.Generation)
	case Damaged:
		return fmt.Sprintf("genlock break %s --damaged", lock)
	case Abandoned:
		return fmt.Sprintf("genlock run %s -- CMD", lock)
	case Held:
		if o.Holder != nil && (o.Holder.ChildOnly || o.Holder.Stopped) {
			return "genlock doctor " + lock
		}
	}
	return ""
}

// Quote makes a path safe to paste into a shell.
func Quote(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r == '/' || r == '.' || r == '-' || r == '_' || r == '@' || r == '+' || r == ',' ||
			'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
