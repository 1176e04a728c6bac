package legacy

import (
	"errors"
	"sync"
	"time"
)

// dirHeld is the directory L, taken by us.
type dirHeld struct {
	mu       sync.Mutex
	slot     *slot
	released bool
	err      error // what Release came to
	// aside is the name to which Release moves L.
	aside string
	// claim, if not nil, is what the dialect does to its record before L is
	// moved; ErrLost when the record is not ours any more.
	claim func() error
	// every and refresh: see Held.
	every   time.Duration
	refresh func() error
}

// holdSlot makes what was taken a Held.
func holdSlot(s *slot) *dirHeld {
	return &dirHeld{slot: s, aside: holdName(s.base, s.at.Mine)}
}

// Check implements Held. It costs one system call.
func (h *dirHeld) Check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.check()
}

func (h *dirHeld) check() error {
	if h.released {
		return ErrLost
	}
	same, err := h.slot.same()
	if err == nil && !same {
		err = ErrLost
	}
	return err
}

// Every implements Held.
func (h *dirHeld) Every() time.Duration { return h.every }

// Refresh implements Held.
func (h *dirHeld) Refresh() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refresh != nil && !h.released {
		if err := h.refresh(); err != nil {
			return err
		}
	}
	return h.check()
}

// Release implements Held: L is renamed aside, so that nobody meets it half
// deleted, and what was moved is looked at before it is deleted. Where L cannot
// be renamed it is emptied in place, since an empty or absent L is what every
// old program recovers from soonest.
func (h *dirHeld) Release() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return h.err
	}
	h.released = true
	s := h.slot
	err := persist(s.env, ReleaseBudget, s.parent, func() error { return h.moveAway() })
	var displaced *DisplacedError
	switch {
	case err == nil:
		discardLock(s.parent, h.aside)
	case errors.As(err, &displaced):
		h.err = errors.Join(ErrLost, err)
	case errors.Is(err, ErrMoved), errors.Is(err, ErrLost):
		h.err = ErrLost
	default:
		h.err = s.empty(err)
	}
	s.close()
	return h.err
}

func (h *dirHeld) moveAway() error {
	if h.claim != nil {
		if err := h.claim(); err != nil {
			return err
		}
	}
	return h.slot.moveAway(h.aside, nil)
}
