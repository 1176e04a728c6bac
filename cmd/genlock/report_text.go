package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// textReport is for people: silent for the first second, then one line, then a
// live line on a terminal and sparse ones in a log.
type textReport struct {
	mu     sync.Mutex
	out    io.Writer
	bounds waitBounds
	quiet  bool
	plan   schedule
	live   *liveLine // nil for a log
	lost   told
}

func newTextReport(f *os.File, bounds waitBounds, quiet bool) *textReport {
	return &textReport{out: f, bounds: bounds, quiet: quiet, live: newLiveLine(f)}
}

// say prints one line.
func (r *textReport) say(format string, args ...any) {
	r.live.clear()
	fmt.Fprintf(r.out, "genlock: "+format+"\n", args...)
}

func (r *textReport) event(e genlock.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.quiet && e.Kind != genlock.EventLost {
		return
	}
	switch e.Kind {
	case genlock.EventWaiting:
		r.waiting(e)
	case genlock.EventAcquired:
		r.live.clear()
		if r.plan.told > 0 {
			r.say("took lock %s after %s", e.Lock, observer.Duration(e.Waited))
		}
	case genlock.EventReclaimed:
		what := "generation " + string(e.Generation)
		if e.Seen != nil && e.Seen.Old != nil {
			what = fmt.Sprintf("the old lock (%s) at %s", e.Seen.Old.Dialect, e.Seen.Old.Path)
		}
		r.say("reclaimed %s: %s", what, e.Evidence)
	case genlock.EventFailed:
		r.say("%s", lastText(e.Last))
	case genlock.EventAdopted:
		r.adopted(e)
	case genlock.EventLost:
		r.lostLock(e)
	}
}

func (r *textReport) adopted(e genlock.Event) {
	by := ""
	if e.Generation != "" {
		by = fmt.Sprintf(", built by generation %s", e.Generation)
	}
	r.say("adopted %s%s", e.Artifact, by)
}

func (r *textReport) lostLock(e genlock.Event) {
	if r.lost.first(e.Generation) {
		r.say("lost lock %s: %s", e.Lock, lossText(e))
	}
}

// lossText is how a lock was lost, as far as it is known.
func lossText(e genlock.Event) string {
	switch {
	case errors.Is(e.Err, legacy.ErrLost):
		return "an older program took the old lock away"
	case e.Last != nil:
		return lastText(e.Last) // who, and why
	case errors.Is(e.Err, genlock.ErrRootMoved):
		return fmt.Sprintf("the lock's directory was deleted or moved away, and generation %s with it", e.Generation)
	}
	return fmt.Sprintf("generation %s was retired or deleted by somebody else", e.Generation)
}

// lastText is the note about a tenure that did not end well.
func lastText(l *protocol.Last) string {
	s := fmt.Sprintf("generation %s %s", l.Generation, l.Outcome)
	switch {
	case l.Outcome == protocol.OutcomeBroken:
		s = fmt.Sprintf("generation %s was broken", l.Generation)
		if l.By != "" {
			s += " by " + observer.Command([]string{l.By})
		}
	case l.Exit >= 0:
		return s + fmt.Sprintf(", exit %d", l.Exit)
	}
	if l.Message != "" {
		s += ": " + observer.Command([]string{l.Message})
	}
	return s
}

// waiting tells about a wait when it is time to.
func (r *textReport) waiting(e genlock.Event) {
	live := r.live.drawable()
	first := r.plan.told == 0
	if !r.plan.due(e.Waited) {
		if !first && live {
			r.live.draw(liveText(e, r.bounds))
		}
		return
	}
	if !first && live {
		r.live.draw(liveText(e, r.bounds))
		return
	}
	r.say("%s", waitingText(e, r.bounds, first))
	hint := waitingHint(e)
	if hint == "" && live {
		hint = "ctrl-C ends the wait and leaves nothing behind"
	}
	if hint != "" && first {
		r.say("hint: %s", hint)
	}
}

// every: a live line shows a clock.
func (r *textReport) every() time.Duration {
	if r.live != nil && !r.quiet {
		return 0
	}
	return seldom
}

func (r *textReport) exit(o outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live.clear()
	for _, line := range o.say {
		if len(r.lost) == 0 || !slices.Contains(o.lost, line) { // told when it happened
			r.say("%s", line)
		}
	}
	if o.hint != "" && len(o.say) > 0 {
		r.say("hint: %s", o.hint)
	}
}

// waitingText names the lock, who holds it and what is known of that, and how long
// the wait will last.
func waitingText(e genlock.Event, b waitBounds, first bool) string {
	s := "waiting"
	if !first {
		s = "still waiting after " + observer.Duration(e.Waited)
	}
	s += ": lock " + e.Lock
	if e.Seen == nil {
		return s + " is held within this process; " + boundText(e.Waited, b)
	}
	s += " " + e.Seen.Describe(e.Time)
	if h := e.Seen.Holder; h != nil && h.CWD != "" {
		s += "; it works in " + h.CWD
	}
	return s + "; " + boundText(e.Waited, b)
}

func boundText(waited time.Duration, b waitBounds) string {
	switch {
	case b.total > 0 && b.perHolder > 0:
		return fmt.Sprintf("will wait for %s more, and %s for any one holder", left(waited, b.total), observer.Duration(b.perHolder))
	case b.total > 0:
		return fmt.Sprintf("will wait for %s more", left(waited, b.total))
	case b.perHolder > 0:
		return fmt.Sprintf("will wait for %s for any one holder", observer.Duration(b.perHolder))
	}
	return "will wait without a bound (-w sets one)"
}

func left(waited, total time.Duration) string { return observer.Duration(max(total-waited, 0)) }
