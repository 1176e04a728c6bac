package main

import (
	"fmt"
	"strings"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
)

// liveText is the line that is drawn again and again: short, the most important
// things first.
func liveText(e genlock.Event, b waitBounds) string {
	s := fmt.Sprintf("waiting %s for %s", observer.Duration(e.Waited), e.Lock)
	if b.total > 0 {
		s += fmt.Sprintf(" (%s left)", left(e.Waited, b.total))
	}
	if e.Seen != nil {
		s += ", " + strings.TrimPrefix(e.Seen.Describe(e.Time), "is ")
	}
	return s
}

// waitingHint is what the reader can do about a wait that may not end by itself.
func waitingHint(e genlock.Event) string {
	if e.Seen == nil {
		return ""
	}
	if h := e.Seen.Holder; h != nil && !h.ChildOnly && startedUs(h) {
		return fmt.Sprintf("pid %d has started this command, so it may wait for itself", h.PID)
	}
	switch e.Seen.State {
	case observer.Undecidable, observer.Damaged:
		return ifGone(e.Seen)
	case observer.Held:
		return lasting(e.Seen)
	}
	return ""
}

// lasting is what to do about a holder that is alive and may never end by itself.
func lasting(seen *observer.Observation) string {
	if seen.Next == "" {
		return ""
	}
	return "what can be done about it: " + seen.Next
}

// ifGone is what to do about a lock that nothing proves abandoned; "" when there is
// nothing.
func ifGone(seen *observer.Observation) string {
	if seen.Next == "" {
		return ""
	}
	if seen.Old != nil && seen.Old.Strange && seen.Generation == "" {
		return "is that path the lock's? " + seen.Next
	}
	s := "if that holder is gone for good: " + seen.Next
	if o := seen.Old; o != nil && o.PID == 0 && seen.Generation == "" {
		// A directory that nothing is known of may be anybody's.
		s = "if that is a lock at all, and its holder is gone for good: " + seen.Next
	}
	if seen.Old != nil && seen.Old.Next != "" && seen.Generation == "" {
		s += "; " + seen.Old.Next
	}
	return s
}
