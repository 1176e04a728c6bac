package env

import (
	"sync"

	"genlock.dev/genlock/protocol"
)

// Leases is what this process knows of itself: the generations that a lease of
// it names. A record with this process's own instance that is not among them is
// finished, whatever else is true (rung 0).
type Leases struct {
	mu      sync.Mutex
	held    map[protocol.ID]struct{}
	orphans map[orphan]struct{}
}

// orphan is an old lock that this process took and could not release. Its record is
// finished, although its pid is alive.
type orphan struct{ lock, token string }

// Add names a generation before it is published.
func (l *Leases) Add(id protocol.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = make(map[protocol.ID]struct{})
	}
	l.held[id] = struct{}{}
}

// Remove forgets a generation once its lease is spent: when no thread can issue
// another rename for it.
func (l *Leases) Remove(id protocol.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, id)
}

// Has tells whether a lease of this process names id.
func (l *Leases) Has(id protocol.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.held[id]
	return ok
}

// Orphan remembers an old lock that could not be released, by its token.
func (l *Leases) Orphan(lock, token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.orphans == nil {
		l.orphans = make(map[orphan]struct{})
	}
	l.orphans[orphan{lock, token}] = struct{}{}
}

// IsOrphan tells whether this process could not release the old lock.
func (l *Leases) IsOrphan(lock, token string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.orphans[orphan{lock, token}]
	return ok
}

// Reclaimed forgets an orphan that was reclaimed.
func (l *Leases) Reclaimed(lock, token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.orphans, orphan{lock, token})
}
