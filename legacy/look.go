package legacy

import (
	"context"
	"errors"
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
		if same && !absent(err) {
			return sight, err
		}
		// Also when its name is still there: a directory is dead a moment before that
		// goes.
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

// ago says an age, also one that lies ahead: proper-lockfile dates a new lock up to
// a second into the future.
func ago(age time.Duration) string {
	if age <= 0 {
		return "just now"
	}
	return round(age).String() + " ago"
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// permits turns a sight into the permission to reclaim, which an operator's word
// gives as well as a verdict does.
func (at Place) permits(sight *Sight, err error) error {
	switch {
	case vfs.IsVanished(err):
		return ErrMoved
	case err != nil:
		return err
	case sight == nil:
		return ErrMoved
	case sight.Strange, !sight.Spent() && !at.word:
		return &BlockedError{Sight: sight}
	}
	return nil
}
