package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/eventlog"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// HistoryOptions say where to look.
type HistoryOptions struct {
	// Log is the event log; empty is DefaultLog, if there is one.
	Log string
	// Optional: that there is no Log is ErrNoLog and no failure.
	Optional bool
	// Since leaves out what ended earlier; zero leaves out nothing.
	Since time.Time
}

// ErrNoLog: there is no event log to tell from.
var ErrNoLog = errors.New("no event log")

// ReadHistory gathers what is known about the locks that target names. Without a
// log it tells who holds what now and what the notes say, and the error is
// ErrNoLog.
func ReadHistory(ctx context.Context, t Target, opt HistoryOptions) (*History, error) {
	b := newHistorian()
	entries, bad, lerr := readLog(t, opt)
	for _, e := range entries {
		b.add(e)
	}
	b.h.Bad = bad
	if lerr != nil && !errors.Is(lerr, ErrNoLog) {
		return nil, lerr
	}
	now := env.From(ctx).Clock.Now()
	err := List(ctx, t, func(o *observer.Observation) error {
		b.present(o, now)
		return nil
	}, func(string, error) {})
	if err != nil {
		return nil, err
	}
	b.finish(now)
	b.h.Now = now
	if !opt.Since.IsZero() {
		b.h.cut(opt.Since)
	}
	b.h.arrange()
	return b.h, lerr
}

// readLog reads the entries about the locks of t, in the order of their times.
func readLog(t Target, opt HistoryOptions) (entries []eventlog.Entry, bad int, err error) {
	log := eventlog.Log{Path: opt.Log}
	if opt.Log == "" {
		log = defaultLog(t)
	}
	bad, err = log.Read(func(e eventlog.Entry) {
		if e.Lock == t.Path || !t.Lock && strings.HasPrefix(e.Lock, t.Path+string(filepath.Separator)) {
			entries = append(entries, e)
		}
	})
	if errors.Is(err, fs.ErrNotExist) && (opt.Log == "" || opt.Optional) {
		err = ErrNoLog
	}
	if errors.Is(err, vfs.ErrNotRegular) && opt.Log != "" && opt.Optional {
		err = ErrNoLog // such as /dev/null, or a fifo on which somebody listens
	}
	slices.SortStableFunc(entries, func(a, b eventlog.Entry) int { return a.Time.Compare(b.Time) })
	return entries, bad, err
}

// present adds what a lock tells now: who holds it, and its last note.
func (b *historian) present(o *observer.Observation, now time.Time) {
	if n := o.Last; n != nil {
		if h := b.holds[n.Generation]; h == nil {
			b.h.Notes = append(b.h.Notes, Note{o.Lock, n})
		} else if n.Outcome == protocol.OutcomeBroken {
			b.end(n.Generation, n.Time, Broken, brokenBy(n.By, n.Message))
		}
	}
	if o.Generation == "" {
		return
	}
	h := b.holds[o.Generation]
	if h == nil && o.Holder != nil && !o.Holder.Started.IsZero() && !o.Holder.Started.After(now) {
		who := eventlog.Who{PID: o.Holder.PID, Hostname: o.Holder.Hostname, Label: o.Holder.Label}
		if who.Label == "" {
			who.Label = observer.Command(o.Holder.Argv)
		}
		began := o.Holder.Started
		b.acquired(b.lane(who, began), eventlog.Entry{Time: began, Lock: o.Lock, Generation: o.Generation})
		b.extend(began)
		h = b.holds[o.Generation]
	}
	if h == nil || h.ended {
		return
	}
	h.End, h.ended = now, true
	b.extend(now)
	if o.State == observer.Abandoned {
		h.Outcome, h.Detail = Crashed, o.Evidence
	}
}

// finish ends what nobody has ended: a wait for somebody who still holds goes on,
// and of everything else the end is unknown.
func (b *historian) finish(now time.Time) {
	holding := make(map[protocol.ID]bool)
	for _, h := range b.h.Holds {
		if !h.ended {
			h.End, h.Outcome = b.h.End, Unseen
		}
		holding[h.Generation] = h.Outcome == Holding
	}
	for _, w := range b.h.Waits {
		switch {
		case w.ended:
		case holding[w.For]:
			w.End = now
		default:
			w.End, w.Then = b.lastSeen(w), string(Unseen)
		}
	}
}

// lastSeen is until when a wait without an end certainly lasted.
func (b *historian) lastSeen(w *Wait) time.Time {
	if h := b.holds[w.For]; h != nil && h.End.After(w.Begin) {
		return h.End
	}
	return w.Begin
}

// cut leaves out what ended before since, and processes of which nothing is left.
func (h *History) cut(since time.Time) {
	h.Holds = slices.DeleteFunc(h.Holds, func(x *Hold) bool { return x.End.Before(since) })
	h.Waits = slices.DeleteFunc(h.Waits, func(x *Wait) bool { return x.End.Before(since) })
	h.Marks = slices.DeleteFunc(h.Marks, func(x Mark) bool { return x.At.Before(since) })
	h.Notes = slices.DeleteFunc(h.Notes, func(x Note) bool { return x.Last.Time.Before(since) })
	used := make(map[*Lane]bool)
	for _, x := range h.Holds {
		used[x.Lane] = true
	}
	for _, x := range h.Waits {
		used[x.Lane] = true
	}
	for _, x := range h.Marks {
		used[x.Lane] = true
	}
	h.Lanes = slices.DeleteFunc(h.Lanes, func(l *Lane) bool { return !used[l] })
	if h.Begin.Before(since) {
		h.Begin = since
	}
}

// Span is the time that the history covers.
func (h *History) Span() time.Duration { return h.End.Sub(h.Begin) }

// Title is the span in words.
func (h *History) Title() string {
	layout := "15:04:05"
	if h.Begin.Local().Format(time.DateOnly) != h.End.Local().Format(time.DateOnly) {
		layout = time.DateTime
	}
	return fmt.Sprintf("%s to %s", h.Begin.Local().Format(time.DateTime), h.End.Local().Format(layout))
}
