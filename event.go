package genlock

import (
	"log/slog"
	"time"

	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// EventKind names what happened.
type EventKind string

const (
	// EventWaiting: the lock is held. It comes at the first look, whenever the
	// holder or the verdict changes, and then about every second, or as seldom as
	// Options.EventEvery says.
	EventWaiting EventKind = "waiting"
	// EventAcquired: this caller holds the lock.
	EventAcquired EventKind = "acquired"
	// EventReclaimed: a generation that was provably gone or finished was retired.
	EventReclaimed EventKind = "reclaimed"
	// EventFailed: somebody else's tenure failed or was broken while we waited.
	EventFailed EventKind = "failed"
	// EventAdopted: the artifact was there, made by somebody else.
	EventAdopted EventKind = "adopted"
	// EventBuilt: the build function ended well. EventPublished: its artifact
	// is in place.
	EventBuilt     EventKind = "built"
	EventPublished EventKind = "published"
	// EventLost: our generation was retired by somebody else.
	EventLost EventKind = "lost"
	// EventReleased: our tenure ended.
	EventReleased EventKind = "released"
)

// Event is one thing that happened to a Lock.
type Event struct {
	Kind       EventKind
	Time       time.Time
	Lock       string
	Generation protocol.ID
	// Waited is how long this caller has been waiting so far.
	Waited time.Duration
	// Seen is the look behind waiting and reclaimed; nil when a goroutine of
	// this process holds the lock.
	Seen *observer.Observation
	// Evidence is the sentence behind reclaimed.
	Evidence string
	// Last is the note behind failed.
	Last *protocol.Last
	// Artifact is the path behind adopted, built and published.
	Artifact string
	Err      error
}

// LogValue is the event for package slog: a group of the facts that it has, with the
// holder in one sentence.
func (e Event) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("kind", string(e.Kind)), slog.String("lock", e.Lock)}
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	add("generation", string(e.Generation))
	if e.Waited > 0 {
		attrs = append(attrs, slog.Duration("waited", e.Waited))
	}
	if e.Seen != nil && e.Kind == EventWaiting {
		add("holder", e.Seen.Describe(e.Time))
	}
	add("evidence", e.Evidence)
	if e.Last != nil {
		add("outcome", e.Last.Outcome)
		add("by", e.Last.By)
		add("message", e.Last.Message)
	}
	add("artifact", e.Artifact)
	if e.Err != nil {
		attrs = append(attrs, slog.Any("err", e.Err))
	}
	return slog.GroupValue(attrs...)
}
