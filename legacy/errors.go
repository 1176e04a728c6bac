package legacy

import (
	"errors"
	"fmt"
)

var (
	// ErrHeld: somebody holds the old lock. See *BlockedError.
	ErrHeld = errors.New("the old lock is held")
	// ErrOwn: this very process holds the old lock already, so that waiting
	// for it would never end.
	ErrOwn = errors.New("you already hold this")
	// ErrMoved: the old lock changed hands meanwhile. Look again.
	ErrMoved = errors.New("the old lock changed hands")
	// ErrLost: an old program took away the old lock that we held.
	ErrLost = errors.New("the old lock was lost")
)

// BlockedError says who holds an old lock. It matches ErrHeld, and ErrOwn when
// that is this very process.
type BlockedError struct {
	Sight *Sight
}

func (e *BlockedError) Error() string {
	if e.Sight.Self {
		return e.Sight.Path + ": you already hold this"
	}
	return e.Sight.Path + " " + e.Sight.Describe()
}

// Is matches ErrHeld and ErrOwn.
func (e *BlockedError) Is(target error) bool {
	return target == ErrHeld || target == ErrOwn && e.Sight.Self
}

// DisplacedError: between our last look and our rename an old program put another
// lock in the place, and when we had found out, the place was taken again. Both
// programs believe that they hold the lock. Nothing was deleted.
type DisplacedError struct {
	Lock      string
	NowLiesAt string
}

func (e *DisplacedError) Error() string {
	return fmt.Sprintf("%s: an old program put a new lock there while an abandoned one was being moved away; "+
		"it lies at %s now, because yet another took its place", e.Lock, e.NowLiesAt)
}
