package operate

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// troubles lists what did not go well, the newest last.
func (h *History) troubles(out io.Writer, t Target) {
	const most = 20
	var lines []string
	layout := h.clockLayout()
	for _, x := range h.Holds {
		if _, bad := badText[x.Outcome]; bad {
			lines = append(lines, fmt.Sprintf("  %s  %s %s%s: %s (generation %s)", x.End.Local().Format(layout), x.Lane.Name(),
				badText[x.Outcome], detail(x.Detail), t.Relative(x.Lock), x.Generation))
		}
	}
	for _, n := range h.Notes {
		s := fmt.Sprintf("  %s  somebody %s", n.Last.Time.Local().Format(layout), n.Last.Outcome)
		if n.Last.By != "" {
			s = fmt.Sprintf("  %s  %s by %s", n.Last.Time.Local().Format(layout), n.Last.Outcome, n.Last.By)
		} else if n.Last.Exit >= 0 {
			s += fmt.Sprintf(" with exit %d", n.Last.Exit)
		}
		lines = append(lines, fmt.Sprintf("%s%s: %s (generation %s)", s, detail(n.Last.Message), t.Relative(n.Lock), n.Last.Generation))
	}
	slices.Sort(lines)
	if len(lines) > 0 && len(h.Lanes) > 0 {
		fmt.Fprintln(out)
	}
	if len(lines) > 0 {
		fmt.Fprintf(out, "what went wrong:\n")
	}
	if n := len(lines) - most; n > 0 {
		fmt.Fprintf(out, "  %d earlier ones are left out\n", n)
		lines = lines[n:]
	}
	for _, l := range lines {
		fmt.Fprintln(out, l)
	}
}

// clockLayout has the date unless all is of one day, today.
func (h *History) clockLayout() string {
	today := h.Now.Local().Format(time.DateOnly)
	all := []time.Time{h.Now}
	for _, x := range h.Holds {
		all = append(all, x.End)
	}
	for _, n := range h.Notes {
		all = append(all, n.Last.Time)
	}
	for _, t := range all {
		if t.Local().Format(time.DateOnly) != today {
			return time.DateTime
		}
	}
	return time.TimeOnly
}

var badText = map[Outcome]string{Failed: "failed", Crashed: "crashed", Broken: "was broken", Lost: "lost the lock",
	Unseen: "ended without a word, so it crashed or could not write"}
