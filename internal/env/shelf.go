package env

import (
	"slices"
	"sync"
	"time"
)

const (
	// mostKept bounds how much one world keeps open, and idle for how long: enough
	// for turns that follow each other, and not long enough to be in the way of
	// somebody who unmounts a file system.
	mostKept = 8
	idle     = 50 * time.Millisecond
)

// Kept is something open that may be used again.
type Kept interface{ Close() }

// shelf is where a world keeps what nobody uses now.
type shelf struct {
	owner *Env
	mu    sync.Mutex
	kept  []keptItem  // the latest last
	timer *time.Timer // nil while nothing is to be closed
}

type keptItem struct {
	key   string
	value Kept
	since time.Time
}

// Keeping makes e a world that keeps things, and returns it. A copy of e is another
// world and keeps nothing: what it would find was opened in this one.
func (e *Env) Keeping() *Env {
	e.shelf = &shelf{owner: e}
	return e
}

// Keep puts value on the shelf, for Take with the same key. It is closed when that
// takes too long, when others need the place, and at once if this world keeps
// nothing.
func (e *Env) Keep(key string, value Kept) {
	s := e.shelf
	if s == nil || s.owner != e {
		value.Close()
		return
	}
	s.mu.Lock()
	var gone []keptItem
	if len(s.kept) == mostKept {
		gone = s.drop(1)
	}
	s.kept = append(s.kept, keptItem{key, value, time.Now()})
	if s.timer == nil && e.RealTime() {
		s.timer = time.AfterFunc(idle, s.closeIdle)
	}
	s.mu.Unlock()
	closeAll(gone)
}

// CloseKept closes all that nobody uses now.
func (e *Env) CloseKept() {
	if s := e.shelf; s != nil && s.owner == e {
		s.mu.Lock()
		gone := s.drop(len(s.kept))
		s.mu.Unlock()
		closeAll(gone)
	}
}

// Take takes from the shelf what was kept under key, for the caller alone; nil when
// there is nothing. It may be out of date in any way.
func (e *Env) Take(key string) Kept {
	s := e.shelf
	if s == nil || s.owner != e {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.kept) - 1; i >= 0; i-- {
		if item := s.kept[i]; item.key == key {
			s.kept = append(s.kept[:i], s.kept[i+1:]...)
			return item.value
		}
	}
	return nil
}

func (s *shelf) closeIdle() {
	s.mu.Lock()
	old := 0
	for old < len(s.kept) && time.Since(s.kept[old].since) >= idle {
		old++
	}
	gone := s.drop(old)
	if s.timer = nil; len(s.kept) > 0 {
		s.timer = time.AfterFunc(idle, s.closeIdle)
	}
	s.mu.Unlock()
	closeAll(gone)
}

// drop takes the n oldest from the shelf, to be closed without keeping others from it:
// that may delete something.
func (s *shelf) drop(n int) []keptItem {
	gone := slices.Clone(s.kept[:n])
	s.kept = slices.Delete(s.kept, 0, n)
	return gone
}

func closeAll(gone []keptItem) {
	for _, item := range gone {
		item.value.Close()
	}
}
