package genlock

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// place identifies a lock within this process however its path is spelled: the
// directory it lies in, and its base name.
type place struct {
	env    *env.Env
	parent vfs.ID
	base   string
}

// line is the goroutines of this process that want one lock, in the order they
// came. Only the first contends on disk.
type line struct {
	waiting []*spot
	// seen is the latest look of somebody in the line, while its head stays.
	seen   *observer.Observation
	seenAt time.Time
}

// spot is somebody's place in the line. Its turn is told once; nil if it came at
// once.
type spot struct{ turn chan struct{} }

// lines is what this process must know of itself.
var lines = struct {
	sync.Mutex
	at map[place]*line
}{at: make(map[place]*line)}

// enter takes the caller's turn among the goroutines of this process. While it is
// not the caller's turn, tick is called, first at once; it says when it wants to
// be called again, or why to stop waiting. A nil tick means not to wait. ok is
// false when the turn did not come. leave must be called once.
func enter(ctx context.Context, p place, tick func() (time.Duration, error)) (leave func(), ok bool, err error) {
	own := lineUp(p, tick != nil)
	if own == nil {
		return nil, false, nil
	}
	leave = func() { stepAside(p, own) }
	if own.turn == nil {
		return leave, true, nil
	}
	for {
		again, err := tick()
		if err != nil {
			leave()
			return nil, false, err
		}
		t := time.NewTimer(again)
		select {
		case <-own.turn:
			t.Stop()
			return leave, true, nil
		case <-ctx.Done():
			t.Stop()
			leave()
			return nil, false, nil
		case <-t.C:
		}
	}
}

// lineUp returns a place in the line; nil when somebody is before it and the caller
// does not want to wait.
func lineUp(p place, wait bool) *spot {
	lines.Lock()
	defer lines.Unlock()
	own := new(spot)
	l := lines.at[p]
	switch {
	case l == nil:
		lines.at[p] = &line{waiting: []*spot{own}}
	case !wait:
		return nil
	default:
		own.turn = make(chan struct{})
		l.waiting = append(l.waiting, own)
	}
	return own
}

// stepAside leaves the line, at its head or anywhere in it.
func stepAside(p place, own *spot) {
	lines.Lock()
	defer lines.Unlock()
	l := lines.at[p]
	for i, s := range l.waiting {
		if s != own {
			continue
		}
		l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
		if i == 0 {
			l.seen = nil
		}
		switch {
		case len(l.waiting) == 0:
			delete(lines.at, p)
		case i == 0:
			close(l.waiting[0].turn)
		}
		return
	}
}

// lookFrom looks on behalf of everybody who waits in the line at p: they only want to
// know for whom they wait, so one look in half a tick serves all of them.
func lookFrom(p place, format protocol.Format, look func() (*observer.Observation, error)) (*observer.Observation, error) {
	lines.Lock()
	l := lines.at[p]
	var head *spot
	if l != nil {
		head = l.waiting[0]
		if l.seen != nil && l.seen.Format == format && p.env.Clock.Now().Sub(l.seenAt) < reportEvery/2 {
			seen := *l.seen // whoever gets it may keep it
			lines.Unlock()
			return &seen, nil
		}
	}
	lines.Unlock()
	seen, err := look()
	if err != nil || l == nil {
		return seen, err
	}
	lines.Lock()
	defer lines.Unlock()
	if lines.at[p] == l && l.waiting[0] == head {
		copied := *seen
		l.seen, l.seenAt = &copied, p.env.Clock.Now()
	}
	return seen, nil
}

// placeOf finds out which lock this is, whatever the spelling of its path.
func placeOf(ctx context.Context, l *Lock) (place, error) {
	e := env.From(ctx)
	var at place
	err := vfs.Again(func() error {
		parent, err := e.FS.OpenParent(filepath.Dir(l.path))
		if err != nil {
			return fmt.Errorf("lock %s: its directory cannot be opened: %w", l.given, err)
		}
		defer parent.Close()
		info, err := parent.Stat()
		at = placeIn(l, e, info.ID())
		return err
	})
	return at, err
}

func placeIn(l *Lock, e *env.Env, parent vfs.ID) place {
	return place{env: e, parent: parent, base: filepath.Base(l.path)}
}

// heldByChain catches the nesting that would wait in memory: a lease of this
// process in the context, for this very lock.
func (a *attempt) heldByChain(ctx context.Context) error {
	if lease := leaseAt(ctx, a.at); lease != nil {
		return nested(a.chain, a.lock.given, lease.Generation())
	}
	return nil
}

// lineUp waits for our turn among the goroutines of this process.
func (a *attempt) lineUp(ctx context.Context) (leave func(), err error) {
	var tick func() (time.Duration, error)
	if a.wait {
		tick = func() (time.Duration, error) {
			a.shelve()
			return a.waiter.tick(ctx, a.at)
		}
	}
	leave, ok, err := enter(ctx, a.at, tick)
	if !ok && err == nil {
		err = a.waiter.heldLocally(ctx)
	}
	return leave, err
}
