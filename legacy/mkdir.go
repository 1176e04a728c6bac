package legacy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// mkdir is the dialect of ttsc up to 0.18: who made the directory L holds. A
// record {hostname, pid, startedAt} is best effort and comes later. Release and
// steal delete L recursively by path.
type mkdir struct{}

const (
	mkdirName    = "mkdir"
	v2MarkerName = "protocol-v2"
)

func newMkdir(rule string) (Dialect, error) { return mkdir{}, noRule(mkdirName, rule) }

func (mkdir) Name() string { return mkdirName }

func (d mkdir) See(ctx context.Context, at Place) (*Sight, error) {
	return look(ctx, at, mkdirName, func(s *slot) (*Sight, error) { return d.see(ctx, s) })
}

func (mkdir) see(ctx context.Context, s *slot) (*Sight, error) {
	rec, problem, err := readRecord(s.dir, recordName)
	if err != nil {
		return nil, err
	}
	if rec != nil && rec.Generation != "" && rec.Generation == s.at.Mine {
		return nil, nil
	}
	sight := (&Sight{Dialect: mkdirName, Path: s.at.Lock}).tell(rec)
	// Its own programs take a record without a host name for none at all.
	sight.Sure = rec != nil && rec.Hostname != ""
	v := verdict{answer: judge.Undecidable, why: problem}
	switch {
	case rec != nil:
		v, err = weigh(ctx, s.at, rec.party(s.dir, s.info.ModTime, s.kind))
	case problem == "":
		var age time.Duration
		if age, err = fencedAge(s); err == nil {
			v, err = leftover(ctx, s.at, mkdirName, age, "it has no record, and its age proves nothing")
		}
	}
	if err != nil {
		return nil, err
	}
	return s.doubt(sight.give(v), rec != nil)
}

// Reclaim judges before it fences, because a fence that lands while a live holder
// deletes L would make its rmdir fail. It judges again once the fence is
// confirmed: only that verdict is about the fenced lock.
func (d mkdir) Reclaim(ctx context.Context, at Place) (string, error) {
	s, err := openSlot(ctx, at)
	if err != nil {
		return "", err
	}
	if s == nil {
		return "", ErrMoved
	}
	defer s.close()
	if err := at.permits(d.see(ctx, s)); err != nil {
		return "", err
	}
	fence, err := capture(s)
	if err != nil {
		return "", err
	}
	sight, err := d.see(ctx, s)
	if err := at.permits(sight, err); err != nil {
		return "", err
	}
	// The fence is the token: with it nothing but this lock can be retired, and
	// the place to which it goes stays taken. What somebody put there meanwhile is
	// not moved with it.
	stillFenced := func() (bool, error) {
		now, err := readFence(s.dir)
		if err == nil && now == nil {
			now, err = fenceMoved(s, fence)
		}
		if err != nil || now == nil || now.Generation != fence {
			return false, nil
		}
		return holdsOnly(s.dir, ofOldLock)
	}
	if fenced, err := stillFenced(); err != nil || !fenced {
		return "", errors.Join(err, ErrMoved)
	}
	err = persist(s.env, renameBudget, s.parent, func() error {
		return s.moveAway(retiredName(s.base, fence), stillFenced)
	})
	if vfs.IsNotEmpty(err) {
		return "", fmt.Errorf("%s: its fence %s was used before: %w", at.Lock, fence, err)
	}
	return sight.Why, err
}

// Hold takes L with a record that the old programs understand.
func (mkdir) Hold(ctx context.Context, at Place) (Held, error) { return holdL(ctx, at) }

func (mkdir) Sweep(ctx context.Context, at Place, generation protocol.ID) error {
	return sweepHold(ctx, at, generation)
}

// Collect removes fences in flight and, on the operator's word that no reclaimer
// of the old protocol lives, the tombstones.
func (mkdir) Collect(ctx context.Context, at Place, word Word) (Collected, error) {
	return collectBeside(ctx, at, word, func(c *collector, name string) fate {
		switch {
		case hasID(name, c.base+fenceCandidate):
			return byAge
		case hasID(name, c.base+retiredMiddle):
			return byWord
		}
		return c.ownLitter(name)
	})
}

// holdL takes L with a record that the dialects mkdir and token both understand.
func holdL(ctx context.Context, at Place) (Held, error) {
	s, err := takeL(ctx, at)
	if err != nil {
		return nil, err
	}
	return holdSlot(s), nil
}
