package legacy

import (
	"context"
	"time"

	"genlock.dev/genlock/protocol"
)

// Dialect is the adapter for one old protocol. Its methods may be used by several
// goroutines.
type Dialect interface {
	// Name is the word by which a caller enables the dialect.
	Name() string
	// See looks at the old lock and writes nothing. Nil means that nobody
	// holds it, or that the caller does (Place.Mine). The answer may be old
	// when it is read; only Reclaim's own judgement permits anything.
	See(ctx context.Context, at Place) (*Sight, error)
	// Reclaim takes the old lock away from a holder who is provably gone or
	// finished, and from nobody else: fence, confirm, judge, move exactly
	// that lock away, verify. evidence is the sentence that proves it. The
	// caller must hold v3. ErrMoved when there is nothing to reclaim any more,
	// *BlockedError when the evidence does not permit it, *DisplacedError
	// when a live lock could not be put back.
	Reclaim(ctx context.Context, at Place) (evidence string, err error)
	// Hold takes the old lock for Place.Mine, complete where the dialect and
	// the file system allow. It does not wait: ErrHeld when somebody has it.
	// The caller must hold v3, and have published its intent there.
	Hold(ctx context.Context, at Place) (Held, error)
	// Sweep removes what a spent tenure of ours may have left beside the lock,
	// under names made from its generation, so that nothing needs listing.
	Sweep(ctx context.Context, at Place, generation protocol.ID) error
	// Collect removes what crashed attempts and old reclaims left, as far as
	// the dialect's rules allow. It lists directories: not for the hot path.
	Collect(ctx context.Context, at Place, word Word) (Collected, error)
}

// Held is an old lock that we hold.
type Held interface {
	// Check looks whether we still hold it; ErrLost if not.
	Check() error
	// Refresh keeps it alive where the dialect judges by age. ErrLost when
	// somebody took it away.
	Refresh() error
	// Every is how often Refresh is needed; 0 is never.
	Every() time.Duration
	// Release ends it. It may block up to ReleaseBudget, is idempotent, and
	// reports ErrLost when somebody else took the lock away; nothing of a
	// successor is touched.
	Release() error
}

// Place is one lock and what the caller has to do with it.
type Place struct {
	// Lock is the absolute path L.
	Lock string
	// Format is that of the v3 root beside it; empty is protocol.Genlock.
	Format protocol.Format
	// Mine is the v3 generation that the caller holds; "" while it holds none.
	Mine protocol.ID
	// Reclaimed are the v3 generations whose holders the caller has found
	// spent and retired on its way here, with the dialects they meant to
	// hold. What they announced went with them: nobody else knows it.
	Reclaimed []Intent
	// word: an operator's word stands for the verdict. See Break.
	word bool
}

// Intent is what a generation's record said about old locks.
type Intent struct {
	Generation protocol.ID
	Hold       []string
}

// Word is an operator's word about a collection.
type Word struct {
	// Extinct: no program of the old protocol will ever run here again, so
	// that its tombstones may go, too.
	Extinct bool
	// DryRun: only tell.
	DryRun bool
}

// Collected lists what was removed, or with DryRun would be, and what has to stay.
type Collected struct{ Removed, Kept []string }

// Budgets of the operations that may block.
const (
	// ReleaseBudget is how long a release tries to move the lock away before
	// it empties it where it lies.
	ReleaseBudget = 15 * time.Second
	// renameBudget is how long a rename that fails for no lasting reason is
	// tried again while reclaiming.
	renameBudget = 5 * time.Second
)

func (at Place) format() protocol.Format {
	if at.Format == "" {
		return protocol.Genlock
	}
	return at.Format
}

// meant tells whether a generation that the caller reclaimed had announced that
// it takes the old lock in this dialect.
func (at Place) meant(dialect string) (protocol.ID, bool) {
	for _, in := range at.Reclaimed {
		for _, name := range in.Hold {
			if name == dialect {
				return in.Generation, true
			}
		}
	}
	return "", false
}
