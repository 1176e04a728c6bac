package genlock

import (
	"context"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/eventlog"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// record writes an event to the log, if the options ask for one. What cannot be
// written is missing there and harms nothing else.
func (l *Lock) record(e Event, now time.Time) {
	if l.options.Log == "" {
		return
	}
	entry := eventlog.Entry{Event: string(e.Kind), Time: now, Lock: l.path, Generation: e.Generation,
		Process: l.who(), Waited: e.Waited.Seconds(), Evidence: e.Evidence, Artifact: e.Artifact}
	if s := e.Seen; s != nil {
		entry.State, entry.Holder = string(s.State), whoHolds(s.Holder)
		if entry.Evidence == "" {
			entry.Evidence = s.Evidence
		}
	}
	if n := e.Last; n != nil {
		entry.By, entry.Message, entry.Exit = n.By, n.Message, &n.Exit
		if n.Outcome == protocol.OutcomeBroken {
			entry.Event, entry.Exit = eventlog.Broken, nil
		}
	}
	if e.Err != nil {
		entry.Errors = []string{e.Err.Error()}
	}
	eventlog.Log{Path: l.options.Log, Limit: l.options.LogLimit}.Append(entry)
}

// who is this process in the log. The log tells no more than the lock's record.
func (l *Lock) who() eventlog.Who {
	self := env.From(context.Background()).Machine.Self()
	about := l.options.About
	if about.Label == "" {
		about.Label = observer.Command(about.Argv)
	}
	return eventlog.Who{Instance: self.Instance, PID: self.PID, Hostname: self.Hostname, Label: about.Label}
}

func whoHolds(h *observer.Holder) *eventlog.Who {
	if h == nil {
		return nil
	}
	label := h.Label
	if label == "" {
		label = observer.Command(h.Argv)
	}
	return &eventlog.Who{PID: h.PID, Hostname: h.Hostname, Label: label}
}

// gaveUp records that a wait ended without the lock.
func (a *attempt) gaveUp(err error) {
	if a.waiter.waiting && err != errEnough {
		a.lock.record(Event{Kind: eventlog.GaveUp, Generation: a.waiter.holder,
			Waited: a.waiter.waited(), Err: err}, a.env.Clock.Now())
	}
}

// recordFailure records how our own tenure ended, which others learn from last.json.
func (l *Lease) recordFailure(exit int, message string) {
	l.lock.record(Event{Kind: EventFailed, Generation: l.Generation(), Last: &protocol.Last{
		Generation: l.Generation(), Outcome: protocol.OutcomeFailed, Exit: exit, Message: message}}, l.env.Clock.Now())
}
