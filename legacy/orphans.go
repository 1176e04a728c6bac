package legacy

import "sync"

// orphanage is what this process must know of itself: the tokens of old locks
// that it took and could not release. A record with one of them is finished,
// although its pid is alive. Tokens that it holds are those of its leases.
type orphanage struct {
	mu    sync.Mutex
	known map[orphan]struct{}
}

type orphan struct{ lock, token string }

var orphans orphanage

func (o *orphanage) add(lock, token string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil {
		o.known = make(map[orphan]struct{})
	}
	o.known[orphan{lock, token}] = struct{}{}
}

func (o *orphanage) has(lock, token string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ok := o.known[orphan{lock, token}]
	return ok
}

// forget drops those who were reclaimed.
func forget(lock string, ids []identity) {
	orphans.mu.Lock()
	defer orphans.mu.Unlock()
	for _, id := range ids {
		delete(orphans.known, orphan{lock, id.token})
	}
}
