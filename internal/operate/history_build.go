package operate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"genlock.dev/genlock/internal/eventlog"
	"genlock.dev/genlock/protocol"
)

// historian builds a History from entries in the order of their times.
type historian struct {
	h     *History
	lanes map[string]*Lane
	holds map[protocol.ID]*Hold
	open  map[string]*Hold   // by lock
	waits map[string][]*Wait // open ones, by process and lock
}

func newHistorian() *historian {
	return &historian{h: &History{}, lanes: make(map[string]*Lane), holds: make(map[protocol.ID]*Hold),
		open: make(map[string]*Hold), waits: make(map[string][]*Wait)}
}

// lane finds the process. A holder that somebody only waited for is known by host
// and pid until it writes itself.
func (b *historian) lane(w eventlog.Who, at time.Time) *Lane {
	key := string(w.Instance)
	if key == "" {
		key = fmt.Sprintf("%s/%d", w.Hostname, w.PID)
	}
	l := b.lanes[key]
	if l == nil {
		l = &Lane{Host: w.Hostname, PID: w.PID, Label: w.Label, key: key, first: at}
		b.lanes[key] = l
		b.h.Lanes = append(b.h.Lanes, l)
	}
	if at.Before(l.first) {
		l.first = at
	}
	return l
}

// add takes one entry into account.
func (b *historian) add(e eventlog.Entry) {
	l := b.lane(e.Process, e.Time)
	began := e.Time.Add(-time.Duration(e.Waited * float64(time.Second)))
	b.extend(e.Time)
	switch e.Event {
	case "waiting":
		b.waiting(l, e, began)
	case "acquired":
		b.endWait(l, e, "acquired")
		b.acquired(l, e)
	case "adopted":
		b.endWait(l, e, "adopted")
		b.h.Marks = append(b.h.Marks, Mark{l, e.Lock, e.Time, "adopted", e.Artifact})
	case eventlog.GaveUp:
		b.endWait(l, e, eventlog.GaveUp)
	case "reclaimed":
		b.end(e.Generation, e.Time, Crashed, e.Evidence)
		b.h.Marks = append(b.h.Marks, Mark{l, e.Lock, e.Time, "reclaimed", e.Evidence})
	case "failed":
		b.fail(e)
	case eventlog.Broken:
		b.end(e.Generation, e.Time, Broken, brokenBy(e.By, e.Message))
	case eventlog.Breaks:
		why := brokenBy(e.By, e.Message)
		b.end(e.Generation, e.Time, Broken, why)
		b.h.Marks = append(b.h.Marks, Mark{l, e.Lock, e.Time, eventlog.Breaks, why})
	case "published":
		if h := b.holds[e.Generation]; h != nil {
			h.Artifact = e.Artifact
		}
	case "released":
		b.end(e.Generation, e.Time, Released, "")
	case "lost":
		b.end(e.Generation, e.Time, Lost, "")
	}
}

func (b *historian) extend(t time.Time) {
	if b.h.Begin.IsZero() || t.Before(b.h.Begin) {
		b.h.Begin = t
	}
	if t.After(b.h.End) {
		b.h.End = t
	}
}

func (b *historian) acquired(l *Lane, e eventlog.Entry) {
	if before := b.open[e.Lock]; before != nil && before.Generation != e.Generation {
		b.end(before.Generation, e.Time, Unseen, "")
	}
	h := &Hold{Lane: l, Lock: e.Lock, Generation: e.Generation, Begin: e.Time, Outcome: Holding}
	b.h.Holds = append(b.h.Holds, h)
	b.holds[e.Generation], b.open[e.Lock] = h, h
}

func (b *historian) fail(e eventlog.Entry) {
	h := b.holds[e.Generation]
	if h == nil || h.Outcome == Failed {
		return
	}
	h.Outcome, h.Detail = Failed, e.Message
	if e.Exit != nil && *e.Exit >= 0 {
		h.Detail = fmt.Sprintf("exit %d", *e.Exit)
	}
}

func brokenBy(who, why string) string {
	if why == "" {
		return "by " + who
	}
	return "by " + who + ": " + why
}

// end ends a hold. What is known first about how, stays; when it was broken, the
// holder notices later.
func (b *historian) end(id protocol.ID, at time.Time, how Outcome, detail string) {
	h := b.holds[id]
	if h == nil {
		return
	}
	if h.Outcome == Holding || how == Broken || how == Lost && h.Outcome == Unseen {
		h.Outcome, h.Detail = how, detail
	}
	if h.ended {
		return
	}
	h.End, h.ended = at, true
	if b.open[h.Lock] == h {
		delete(b.open, h.Lock)
	}
}

func waitKey(l *Lane, lock string) string { return l.key + "\x00" + lock }

// waiting begins a wait, or a new one for another holder.
func (b *historian) waiting(l *Lane, e eventlog.Entry, began time.Time) {
	key, holder := waitKey(l, e.Lock), "a goroutine of the same process"
	if e.Holder != nil {
		holder = fmt.Sprintf("%s/%d", e.Holder.Hostname, e.Holder.PID)
		if e.Holder.Label != "" {
			holder += " " + e.Holder.Label
		}
	}
	if open := b.waits[key]; len(open) > 0 {
		last := open[len(open)-1]
		if last.For == e.Generation {
			return
		}
		last.End, last.Then, last.ended = e.Time, "passed", true
		b.waits[key], began = open[:len(open)-1], e.Time
	}
	b.extend(began)
	w := &Wait{Lane: l, Lock: e.Lock, For: e.Generation, Holder: holder, Begin: began, Then: "waiting"}
	b.waits[key] = append(b.waits[key], w)
	b.h.Waits = append(b.h.Waits, w)
}

func (b *historian) endWait(l *Lane, e eventlog.Entry, then string) {
	key := waitKey(l, e.Lock)
	open := b.waits[key]
	if len(open) == 0 {
		return
	}
	w := open[0]
	w.End, w.Then, w.ended = e.Time, then, true
	b.waits[key] = open[1:]
}

// arrange puts the processes of one host together, in the order they came. Hosts
// come in the order of their names, ci-9 before ci-10.
func (h *History) arrange() {
	slices.SortStableFunc(h.Lanes, func(a, b *Lane) int {
		nameA, numberA := splitNumber(a.Host)
		nameB, numberB := splitNumber(b.Host)
		return cmp.Or(strings.Compare(nameA, nameB), cmp.Compare(numberA, numberB), a.first.Compare(b.first))
	})
	for i, l := range h.Lanes {
		l.index = i
	}
}

// splitNumber takes the number off the end of a name.
func splitNumber(s string) (string, int) {
	name := strings.TrimRight(s, "0123456789")
	n, _ := strconv.Atoi(s[len(name):])
	return name, n
}
