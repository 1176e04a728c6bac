package env

import (
	"sync"

	"genlock.dev/genlock/protocol"
)

// Leases is what this process knows of itself: the generations that a lease of
// it names. A record with this process's own instance that is not among them is
// finished, whatever else is true (rung 0).
type Leases struct {
	mu   sync.Mutex
	held map[protocol.ID]struct{}
}

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
