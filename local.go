package genlock

import (
	"context"
	"sync"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
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
	waiting []chan struct{}
}

// lines is what this process must know of itself.
var lines = struct {
	sync.Mutex
	at map[place]*line
}{at: make(map[place]*line)}

// enter takes the caller's turn among the goroutines of this process. While it is
// not the caller's turn, tick is called, first at once; it says when it wants to
// be called again, or why to stop waiting. A nil tick means not to wait. ok is
// false when the turn did not come.
func enter(ctx context.Context, p place, tick func() (time.Duration, error)) (leave func(), ok bool, err error) {
	turn := lineUp(p, tick != nil)
	if turn == nil {
		return nil, false, nil
	}
	leave = sync.OnceFunc(func() { stepAside(p, turn) })
	select {
	case <-turn:
		return leave, true, nil
	default:
	}
	for {
		again, err := tick()
		if err != nil {
			leave()
			return nil, false, err
		}
		t := time.NewTimer(again)
		select {
		case <-turn:
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

// lineUp returns a channel that is closed when it is the caller's turn; nil when
// somebody is before it and it does not want to wait.
func lineUp(p place, wait bool) chan struct{} {
	lines.Lock()
	defer lines.Unlock()
	turn := make(chan struct{})
	l := lines.at[p]
	switch {
	case l == nil:
		lines.at[p] = &line{waiting: []chan struct{}{turn}}
		close(turn)
	case !wait:
		return nil
	default:
		l.waiting = append(l.waiting, turn)
	}
	return turn
}

// stepAside leaves the line, at its head or anywhere in it.
func stepAside(p place, turn chan struct{}) {
	lines.Lock()
	defer lines.Unlock()
	l := lines.at[p]
	for i, t := range l.waiting {
		if t != turn {
			continue
		}
		l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
		switch {
		case len(l.waiting) == 0:
			delete(lines.at, p)
		case i == 0:
			close(l.waiting[0])
		}
		return
	}
}
