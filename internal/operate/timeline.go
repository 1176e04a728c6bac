package operate

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"genlock.dev/genlock/internal/eventlog"
	"genlock.dev/genlock/observer"
)

const (
	// textLanes is how many processes a text timeline shows.
	textLanes = 40
	nameWidth = 30
)

// WriteText writes the history for a terminal of that many columns.
func (h *History) WriteText(w io.Writer, t Target, columns int) error {
	out := bufio.NewWriter(w)
	sum := h.Sum()
	if len(h.Lanes) > 0 {
		fmt.Fprintf(out, "%s (%s): %s, %s; held %s in all, waited %s in all\n\n", h.Title(), spanText(h.Span()),
			several(len(h.Lanes), "process", "processes"), plural(len(sum.Locks), "lock"), spanText(sum.Held), spanText(sum.Waited))
		h.bars(out, max(columns-nameWidth-1, 20))
	}
	h.lockTable(out, t, sum)
	h.longWaits(out, t)
	h.troubles(out, t)
	if h.Bad > 0 {
		fmt.Fprintf(out, "\n%s of the log cannot be read\n", plural(h.Bad, "line"))
	}
	return out.Flush()
}

// rows are the lines of a text timeline.
type rows struct {
	h     *History
	of    map[*Lane][]byte
	width int
}

func (r *rows) column(at time.Time) int {
	if r.h.Span() <= 0 {
		return 0
	}
	return min(max(int(float64(at.Sub(r.h.Begin))/float64(r.h.Span())*float64(r.width)), 0), r.width-1)
}

func (r *rows) fill(l *Lane, from, to time.Time, c byte) {
	if row := r.of[l]; row != nil {
		for i := r.column(from); i <= r.column(to); i++ {
			row[i] = c
		}
	}
}

// bars draws one line for each process. Later things cover earlier ones, signs all.
func (h *History) bars(out io.Writer, width int) {
	h.ruler(out, width)
	shown := h.mostBusy(textLanes)
	r := &rows{h, make(map[*Lane][]byte), width}
	for _, l := range shown {
		r.of[l] = []byte(strings.Repeat(" ", width))
	}
	for _, x := range h.Waits {
		r.fill(x.Lane, x.Begin, x.End, '.')
		if x.Then == "gave-up" {
			r.fill(x.Lane, x.End, x.End, 'g')
		}
	}
	for _, x := range h.Holds {
		r.fill(x.Lane, x.Begin, x.End, '=')
	}
	for _, x := range h.Holds {
		if c, ok := endLetters[x.Outcome]; ok {
			r.fill(x.Lane, x.End, x.End, c)
		}
	}
	for _, x := range h.Marks {
		r.fill(x.Lane, x.At, x.At, x.Kind[0])
	}
	for _, l := range shown {
		fmt.Fprintf(out, "%-*s %s\n", nameWidth, shorten(l.Name()+" "+l.Label, nameWidth), strings.TrimRight(string(r.of[l]), " "))
	}
	if n := len(h.Lanes) - len(shown); n > 0 {
		fmt.Fprintf(out, "and %s that held and waited less (--svg shows them)\n", several(n, "process", "processes"))
	}
	fmt.Fprintf(out, "\n= held   . waited   a adopted   r reclaimed   b broke it   > holds still\n"+
		"g gave up   F failed   X crashed   B broken or lost   ? ended without a word\n")
}

var endLetters = map[Outcome]byte{Failed: 'F', Crashed: 'X', Broken: 'B', Lost: 'B', Holding: '>', Unseen: '?'}

// ruler writes the time at the beginning and at the end.
func (h *History) ruler(out io.Writer, width int) {
	layout := time.TimeOnly
	if h.Span() < 10*time.Second {
		layout = "15:04:05.000"
	}
	begin, end := h.Begin.Local().Format(layout), h.End.Local().Format(layout)
	fmt.Fprintf(out, "%-*s %s%*s\n", nameWidth, "", begin, max(width-len(begin), len(end)+1), end)
}

// mostBusy is the n processes that held and waited longest, or broke a lock, in the
// order of all.
func (h *History) mostBusy(n int) []*Lane {
	if len(h.Lanes) <= n {
		return h.Lanes
	}
	busy := make(map[*Lane]time.Duration)
	for _, x := range h.Holds {
		busy[x.Lane] += x.End.Sub(x.Begin)
	}
	for _, x := range h.Waits {
		busy[x.Lane] += x.End.Sub(x.Begin)
	}
	for _, x := range h.Marks {
		if x.Kind == eventlog.Breaks {
			busy[x.Lane] += 1000 * time.Hour // what an operator did is never left out
		}
	}
	lanes := slices.Clone(h.Lanes)
	slices.SortStableFunc(lanes, func(a, b *Lane) int { return int(min(max(busy[b]-busy[a], -1), 1)) })
	lanes = lanes[:n]
	slices.SortFunc(lanes, func(a, b *Lane) int { return a.index - b.index })
	return lanes
}

func (h *History) lockTable(out io.Writer, t Target, sum Sum) {
	const most = 10
	if len(sum.Locks) == 0 {
		return
	}
	const row = "%8s %6s %8s  %8s %6s %8s  %8s %4s  %s\n"
	fmt.Fprintf(out, "\n"+row, "WAITED", "TIMES", "LONGEST", "HELD", "TIMES", "LONGEST", "ADOPTED", "BAD", "LOCK")
	for i, l := range sum.Locks {
		if i == most {
			fmt.Fprintf(out, "and %s that was waited for less\n", plural(len(sum.Locks)-most, "lock"))
			break
		}
		fmt.Fprintf(out, row, spanText(l.Waited), fmt.Sprint(l.Waits), spanText(l.LongWait), spanText(l.Held), fmt.Sprint(l.Holds),
			spanText(l.LongHold), fmt.Sprint(l.Adopted), fmt.Sprint(l.Bad), t.Relative(l.Lock))
	}
}

func (h *History) longWaits(out io.Writer, t Target) {
	const most = 5
	for i, x := range h.longest(most) {
		if i == 0 {
			fmt.Fprintf(out, "\nlongest waits:\n")
		}
		fmt.Fprintf(out, "  %s  %s waited %s for %s, which held %s; %s\n", x.Begin.Local().Format(time.TimeOnly), x.Lane.Name(),
			spanText(x.End.Sub(x.Begin)), x.Holder, t.Relative(x.Lock), thenText[x.Then])
	}
}

var thenText = map[string]string{"acquired": "then it took the lock", "adopted": "then it adopted the artifact",
	"gave-up": "then it gave up", "passed": "then another one came first", "waiting": "it still waits",
	string(Unseen): "nobody wrote down what came of it"}

func detail(s string) string {
	if s == "" {
		return ""
	}
	return " (" + observer.Command([]string{s}) + ")"
}

func several(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// shorten keeps the head of s.
func shorten(s string, most int) string {
	if r := []rune(observer.Command([]string{s})); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return observer.Command([]string{s})
}

// spanText is a time span in few characters, never negative.
func spanText(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d >= 100*time.Hour:
		return fmt.Sprintf("%dd%dh", int(d.Hours())/24, int(d.Hours())%24)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return fmt.Sprintf("%dms", d.Milliseconds())
}
