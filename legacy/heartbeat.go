package legacy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// heartbeat is the dialect of the npm package proper-lockfile: who made the empty
// directory L holds, and touches it now and then. Its programs take a lock that
// was not touched for a time of their own choice (10 s by default, 2 s at
// least) for abandoned and rmdir it; release is rmdir, too. L is therefore kept
// empty by us as well: an old rmdir would stop at a file for ever.
type heartbeat struct {
	// stale is the age that the caller accepts as proof; 0 is none.
	stale time.Duration
}

const (
	heartbeatName = "heartbeat"
	// beat is the shortest interval of its own programs, half of the shortest
	// age that they can be told to accept.
	beat = time.Second
	// mark is a mode bit on the directory that nobody but genlock sets, and
	// that means nothing for an empty directory. It is how a lock that has
	// to be empty tells who made it.
	mark = fs.ModeSticky
)

func newHeartbeat(rule string) (Dialect, error) {
	if rule == "" {
		return heartbeat{}, nil
	}
	stale, err := time.ParseDuration(rule)
	if err != nil || stale < 2*time.Second {
		return nil, usage(heartbeatName, fmt.Sprintf("its rule is an age of at least 2s, such as 10s, not %q", rule))
	}
	return heartbeat{stale}, nil
}

func (heartbeat) Name() string { return heartbeatName }

func (d heartbeat) See(ctx context.Context, at Place) (*Sight, error) {
	return look(ctx, at, heartbeatName, func(s *slot) (*Sight, error) { return d.see(ctx, s) })
}

func (d heartbeat) see(ctx context.Context, s *slot) (*Sight, error) {
	sight := &Sight{Dialect: heartbeatName, Path: s.at.Lock}
	names, err := s.dir.Names(1)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		return nil, nil // not empty, so no lock of this dialect
	}
	if s.info.Mode&mark != 0 {
		return d.seeOwn(ctx, s, sight)
	}
	v, err := d.weigh(ctx, s)
	return sight.give(v), err
}

func (d heartbeat) weigh(ctx context.Context, s *slot) (verdict, error) {
	age := s.age()
	switch {
	case d.stale == 0:
		return leftover(ctx, s.at, heartbeatName, age,
			fmt.Sprintf("it was touched %s, and an age proves nothing", ago(age)))
	case age <= d.stale:
		return verdict{answer: judge.Alive, why: "it was touched " + ago(age)}, nil
	}
	return verdict{answer: judge.Gone, why: fmt.Sprintf(
		"it was not touched for %s, and the caller accepts %s as proof", round(age), d.stale)}, nil
}

// seeOwn judges a lock that genlock made. It names no generation, but only a
// holder of v3 makes one: as long as somebody else is current it is his, and
// once nobody is, or the caller, it is left over.
func (heartbeat) seeOwn(ctx context.Context, s *slot, sight *Sight) (*Sight, error) {
	sight.Process, sight.Sure = true, true
	v, err := weighCurrent(ctx, s.at)
	if err != nil {
		return nil, err
	}
	return sight.give(v), nil
}

// Reclaim moves exactly the directory that was judged, and looks afterwards
// whether its holder has touched it after all.
func (d heartbeat) Reclaim(ctx context.Context, at Place) (string, error) {
	s, err := openSlot(ctx, at)
	if err != nil {
		return "", err
	}
	if s == nil {
		return "", ErrMoved
	}
	defer s.close()
	sight, err := d.see(ctx, s)
	if err := at.permits(sight, err); err != nil {
		return "", err
	}
	id, err := s.env.NewID()
	if err != nil {
		return "", err
	}
	untouched := func() (bool, error) {
		info, err := s.dir.Stat()
		return err == nil && info.ModTime.Equal(s.info.ModTime), err
	}
	name := holdName(s.base, id)
	if err := persist(s.env, renameBudget, s.parent, func() error { return s.moveAway(name, untouched) }); err != nil {
		return "", err
	}
	// Nothing but an empty directory was judged, so nothing else is removed.
	return sight.Why, missingIsFine(s.parent.Rmdir(name))
}

// Hold takes L and keeps it alive by Refresh.
func (heartbeat) Hold(ctx context.Context, at Place) (Held, error) {
	s, err := take(ctx, at, func(dir vfs.Dir) error {
		info, err := dir.Stat()
		if err == nil {
			err = dir.Chmod(info.Mode | mark)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	h := holdSlot(s)
	h.every = beat
	h.refresh = func() error { return vfs.Touch(s.dir, s.env.Clock.Now()) }
	if err := h.Refresh(); err != nil {
		h.Release()
		if errors.Is(err, ErrLost) {
			return nil, ErrMoved // a race like any other: nothing was held yet
		}
		return nil, fmt.Errorf("%s: cannot be kept alive: %w", at.Lock, err)
	}
	return h, nil
}

func (heartbeat) Sweep(ctx context.Context, at Place, generation protocol.ID) error {
	return sweepHold(ctx, at, generation)
}

// Collect removes what we left beside L; the old programs leave nothing there.
func (heartbeat) Collect(ctx context.Context, at Place, word Word) (Collected, error) {
	return collectBeside(ctx, at, word, (*collector).ownLitter)
}
