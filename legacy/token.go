package legacy

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/protocol"
)

// token is the dialect of segreant 0.2: the directory L holds, and the record
// {pid, token} in it says who. Its programs wait 5 min and poll every 25 ms.
//
// Its known mistake, which we must not inherit: a lock that vanished between two
// looks is taken for stale, and the next one is moved aside. Here everything is
// read through the handle of one directory, and that directory alone is moved.
type token struct {
	// here: the caller's word that every program runs on this machine, since
	// a record without a host name does not say so.
	here bool
}

const tokenName = "token"

// Names beside L. Release has a prefix of its own.
const (
	quarantineMiddle = ".quarantine-"
	releaseMiddle    = ".quarantine-release-"
)

func newToken(rule string) (Dialect, error) {
	if rule != "" && rule != "here" {
		return nil, usage(tokenName, fmt.Sprintf("its rule is \"here\", not %q", rule))
	}
	return token{here: rule == "here"}, nil
}

func (token) Name() string { return tokenName }

func (d token) See(ctx context.Context, at Place) (*Sight, error) {
	return look(ctx, at, tokenName, func(s *slot) (*Sight, error) {
		// A look needs no more than the record, where there is one.
		id, err := readIdentity(s.dir, recordName)
		if err != nil {
			return nil, err
		}
		if id != nil {
			return d.worst(ctx, s, []identity{*id})
		}
		sight, _, err := d.see(ctx, s)
		return sight, err
	})
}

// see judges everybody whom the directory names, in whatever form. All of them
// must be spent: a crashed reclaimer leaves the record of somebody who may live.
func (d token) see(ctx context.Context, s *slot) (*Sight, []identity, error) {
	ids, err := identities(s.dir)
	if err != nil {
		return nil, nil, err
	}
	sight, err := d.worst(ctx, s, ids)
	return sight, ids, err
}

// worst is the sight that permits least; nil when it is the caller's own lock.
func (d token) worst(ctx context.Context, s *slot, ids []identity) (*Sight, error) {
	var worst *Sight
	for _, id := range ids {
		if id.rec != nil && id.rec.Generation != "" && id.rec.Generation == s.at.Mine {
			return nil, nil
		}
		sight := (&Sight{Dialect: tokenName, Path: s.at.Lock, Token: clean(id.token)}).tell(id.rec)
		sight.Sure = id.rec != nil && id.rec.Token != ""
		v, err := d.weigh(ctx, s, id)
		if err != nil {
			return nil, err
		}
		sight.give(v)
		if worst == nil || worst.Spent() && !sight.Spent() {
			worst = sight
		}
	}
	if worst == nil {
		return s.doubt((&Sight{Dialect: tokenName, Path: s.at.Lock}).give(unrecorded(s)), false)
	}
	return s.doubt(worst, true)
}

// Reclaim follows the dialect's own steps: the record is renamed to a name that
// only one can give it, and verified; then L is renamed to a quarantine, and
// verified again; then it is deleted.
func (d token) Reclaim(ctx context.Context, at Place) (string, error) {
	s, err := openSlot(ctx, at)
	if err != nil {
		return "", err
	}
	if s == nil {
		return "", ErrMoved
	}
	defer s.close()
	sight, ids, err := d.see(ctx, s)
	if err := at.permits(sight, err); err != nil {
		return "", err
	}
	name, err := quarantineName(s, quarantineMiddle)
	if err != nil {
		return "", err
	}
	claimed, err := claimRecord(s, ids)
	if err != nil {
		return "", err
	}
	unchanged := func() (bool, error) {
		only, err := holdsOnly(s.dir, ofOldLock)
		if err != nil || !only {
			return false, err
		}
		return onlyIdentity(s.dir, ids, claimed)
	}
	same, err := unchanged()
	if err != nil {
		return "", keep(err, giveBack(s, claimed))
	}
	if !same {
		return "", giveBack(s, claimed)
	}
	err = persist(s.env, renameBudget, s.parent, func() error { return s.moveAway(name, unchanged) })
	if err != nil {
		return "", keep(err, giveBack(s, claimed))
	}
	for _, id := range ids {
		s.env.Leases.Reclaimed(s.at.Lock, id.token)
	}
	// Whatever cannot be deleted now is a quarantine like any other.
	discardLock(s.parent, name)
	return sight.Why, nil
}

// Hold takes L with a record that the old programs understand. It is at once an
// error when this process holds it, and the full or read-only disk is
// reported as itself.
func (d token) Hold(ctx context.Context, at Place) (Held, error) {
	s, err := takeL(ctx, at)
	if err != nil {
		return nil, err
	}
	name, err := quarantineName(s, releaseMiddle)
	h := holdSlot(s)
	if err != nil {
		return nil, errors.Join(err, h.Release())
	}
	// The token is that of the generation, so that the leases of this process
	// tell which tokens it holds; only a failed release has to be remembered.
	h.aside = name
	h.claim = func() error { return claimOwn(s, at.Mine) }
	return &tokenHeld{dirHeld: h, token: tokenOf(at.Mine)}, nil
}

// takeL takes L with a complete record.
func takeL(ctx context.Context, at Place) (*slot, error) {
	return take(ctx, at, writeRecord(env.From(ctx), at.Mine))
}

// tokenHeld remembers a lock that could not be released: it is an orphan, which
// this process may reclaim.
type tokenHeld struct {
	*dirHeld
	token string
}

// Release implements Held.
func (h *tokenHeld) Release() error {
	err := h.dirHeld.Release()
	if err != nil && !errors.Is(err, ErrLost) {
		h.slot.env.Leases.Orphan(h.slot.at.Lock, h.token)
	}
	return err
}

// quarantineName is the name beside L to which whoever moves it away does so. It
// tells the mover's pid, as its programs' names do.
func quarantineName(s *slot, middle string) (string, error) {
	id, err := s.env.NewID()
	if err != nil {
		return "", err
	}
	name := s.base + middle + strconv.Itoa(s.env.Machine.Self().PID) + "-" + tokenOf(id)
	if len(name) > 255 {
		return "", &protocol.UsageError{What: "lock path " + s.at.Lock,
			Why: "its last element is too long for the names of the dialect " + tokenName}
	}
	return name, nil
}

// isQuarantine tells whether name is a quarantine of the lock named base. What its
// makers write after the prefix is theirs, but not more than one path element.
func isQuarantine(name, base string) bool {
	rest, ok := strings.CutPrefix(name, base+quarantineMiddle)
	return ok && rest != ""
}

func (token) Sweep(ctx context.Context, at Place, generation protocol.ID) error {
	return sweepHold(ctx, at, generation)
}

// keep joins a failure with that of undoing, unless the latter only says that
// there is nothing to undo any more.
func keep(err, undo error) error {
	if undo == nil || errors.Is(undo, ErrMoved) {
		return err
	}
	return errors.Join(err, undo)
}
