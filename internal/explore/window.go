package explore

import (
	"slices"
	"strings"
)

// window is what docs/migration.md says that nobody can close, in its words.
type window string

const (
	// The old program's own mistakes.
	byPath      window = "It deletes by path"
	movesByPath window = "It moves by path"
	vanished    window = "It takes a lock that vanished between two looks for abandoned"
	stolen      window = "An old program steals after 10 minutes of waiting"
	stale       window = "A genlock process that is stopped for longer than their `stale`"
	twoStale    window = "Two old programs that find the same stale lock"
	lateRecord  window = "may write its record into a successor's directory"
	lateOld     window = "A late program retires by path"
	// What genlock does about a lock that took the place of the one meant.
	putBack   window = "an old program may put a new lock in the place of the dead one"
	letGo     window = "its holder may release it, and finds nothing to delete"
	thirdTook window = "the place is empty, and a third program may take it"
)

// robbed is what an old program took: the directory L, current in L.v2, or both.
type robbed struct{ dir, v2 window }

func (r *robbed) set(place string, through window) {
	if place == v2Current {
		r.v2 = through
	} else {
		r.dir = through
	}
}

func (r *robbed) window() window {
	if r.dir != "" {
		return r.dir
	}
	return r.v2
}

// misled: an old program takes the lock from another one, which does not notice. What comes
// of it is their own business, also when ours has taken the place by then.
func (w *World) misled(p, owner *Proc, n *node, place string) {
	owner.robbed.set(place, w.windowOf(p, n, place))
}

// robbery: an old program takes the lock from a process of ours that lives, which
// happens through the windows that the scenario names, and no others.
func (w *World) robbery(p, owner *Proc, n *node, place string) {
	through := w.windowOf(p, n, place)
	owner.robbed.set(place, through)
	if !slices.Contains(w.sc.Windows, through) {
		w.fail(ruleExclusion, "%s, an old program, takes the old lock of %s, which lives (%s)", p.name, owner.name,
			through)
	}
	w.saw(through)
}

func (w *World) windowOf(p *Proc, n *node, place string) window {
	switch o := p.old; {
	case o.stealing:
		return stolen
	case o.judged == n && n.overwritten:
		return lateRecord
	case o.judged == n || o.bare == n:
		return "it judged that very lock"
	case place == v2Current:
		return lateOld
	case strings.HasPrefix(w.sc.Dialects, "heartbeat") && o.seen == n:
		return stale
	case strings.HasPrefix(w.sc.Dialects, "heartbeat"):
		return twoStale
	case strings.HasPrefix(w.sc.Dialects, "token"):
		return movesByPath
	case o.judged == nil && o.bare == nil:
		return vanished
	}
	return byPath
}

// saw counts how often a window was used.
func (w *World) saw(through window) {
	if w.know.windows == nil {
		w.know.windows = map[window]int{}
	}
	w.know.windows[through]++
}

// apartFromOld tells whether p and q may both work: two old programs are their own
// business, ours in observe mode is nobody to old programs, and in hold mode
// whoever was robbed through a window is told.
func (p *Proc) apartFromOld(q *Proc) bool {
	switch {
	case p.old == nil && q.old == nil:
		return false
	case p.old != nil && q.old != nil:
		return true
	}
	return !p.w.sc.Hold || p.robbed.window() != "" || q.robbed.window() != ""
}
