package operate

import (
	"cmp"
	"slices"
	"time"
)

// Sum is a history in numbers.
type Sum struct {
	Held, Waited                             time.Duration
	Adopted, Crashed, Failed, Broken, GaveUp int
	// Locks, the one that was waited for longest first.
	Locks []LockSum
}

// LockSum is one lock in numbers.
type LockSum struct {
	Lock                 string
	Holds, Waits         int
	Held, Waited         time.Duration
	LongHold, LongWait   time.Duration
	Adopted, Bad, GaveUp int // Bad: failed, crashed, broken, lost
}

// Sum counts.
func (h *History) Sum() Sum {
	var s Sum
	at := make(map[string]*LockSum)
	lock := func(name string) *LockSum {
		if at[name] == nil {
			at[name] = &LockSum{Lock: name}
		}
		return at[name]
	}
	for _, x := range h.Holds {
		s.hold(lock(x.Lock), x)
	}
	for _, x := range h.Waits {
		s.wait(lock(x.Lock), x)
	}
	for _, x := range h.Marks {
		if x.Kind == "adopted" {
			lock(x.Lock).Adopted++
			s.Adopted++
		}
	}
	for _, l := range at {
		s.Locks = append(s.Locks, *l)
	}
	slices.SortFunc(s.Locks, func(a, b LockSum) int {
		return cmp.Or(cmp.Compare(b.Waited, a.Waited), cmp.Compare(b.Held, a.Held), cmp.Compare(a.Lock, b.Lock))
	})
	return s
}

func (s *Sum) hold(l *LockSum, x *Hold) {
	d := x.End.Sub(x.Begin)
	l.Holds++
	l.Held, l.LongHold, s.Held = l.Held+d, max(l.LongHold, d), s.Held+d
	switch x.Outcome {
	case Crashed:
		s.Crashed++
	case Failed:
		s.Failed++
	case Broken, Lost:
		s.Broken++
	case Unseen:
	default:
		return
	}
	l.Bad++
}

func (s *Sum) wait(l *LockSum, x *Wait) {
	d := x.End.Sub(x.Begin)
	l.Waits++
	l.Waited, l.LongWait, s.Waited = l.Waited+d, max(l.LongWait, d), s.Waited+d
	if x.Then == "gave-up" {
		l.GaveUp++
		s.GaveUp++
	}
}

// longest returns the n longest waits.
func (h *History) longest(n int) []*Wait {
	waits := slices.Clone(h.Waits)
	slices.SortStableFunc(waits, func(a, b *Wait) int { return cmp.Compare(b.End.Sub(b.Begin), a.End.Sub(a.Begin)) })
	return waits[:min(n, len(waits))]
}
