package legacy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/vfs"
)

// lookAgain bounds how often a look starts anew because the lock changed hands
// meanwhile. Each round means that somebody else made progress.
const lookAgain = 100

// look judges the directory at L. What was read is believed only if L is still
// the same directory afterwards: a release between two reads is neither
// abandonment nor damage (rule 6).
func look(ctx context.Context, at Place, dialect string, see func(*slot) (*Sight, error)) (*Sight, error) {
	for range lookAgain {
		s, err := openSlot(ctx, at)
		if errors.Is(err, fs.ErrPermission) {
			return unreadableAt(ctx, at, dialect, err)
		}
		if s == nil || err != nil {
			return nil, err
		}
		sight, err := see(s)
		same, serr := s.same()
		s.close()
		if serr != nil {
			return nil, serr
		}
		if same {
			return sight, err
		}
	}
	s := &Sight{Dialect: dialect, Path: at.Lock}
	return s.give(verdict{answer: judge.Undecidable, why: "it changes hands faster than it can be looked at"}), nil
}

func unreadableAt(ctx context.Context, at Place, dialect string, cause error) (*Sight, error) {
	info, err := env.From(ctx).FS.Lstat(at.Lock)
	if err != nil {
		return nil, missingIsFine(err)
	}
	return unreadable(dialect, at.Lock, cause, info), nil
}

// leftoverAge is how old a lock without a record must be before it can be taken
// for what a reclaimed generation of ours left while taking it.
const leftoverAge = 30 * time.Second

// leftover judges an old lock without a record. Its age proves nothing, unless the
// caller has just reclaimed a generation that had announced to take it.
func leftover(at Place, dialect string, age time.Duration) verdict {
	g, meant := at.meant(dialect)
	switch {
	case !meant:
		return verdict{why: "it has no record, and its age proves nothing"}
	case age <= leftoverAge:
		return verdict{why: fmt.Sprintf("it has no record and may be what genlock left behind, but it is only %s old", round(age))}
	}
	return verdict{answer: judge.Gone, why: fmt.Sprintf(
		"genlock generation %s meant to take it and is gone, and nobody has written a record for %s", g, round(age))}
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// mustBeSpent turns a sight into the permission to reclaim.
func mustBeSpent(sight *Sight, err error) error {
	switch {
	case vfs.IsVanished(err):
		return ErrMoved
	case err != nil:
		return err
	case sight == nil:
		return ErrMoved
	case !sight.Spent():
		return &BlockedError{Sight: sight}
	}
	return nil
}
