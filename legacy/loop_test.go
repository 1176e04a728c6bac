package legacy_test

import (
	"errors"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// lease is what the loop of an acquiring process comes to.
type lease struct {
	root    *fence.Root
	tenure  *generation.Tenure
	holding *legacy.Holding
	cleared []legacy.Cleared
}

// try is one round of an acquire loop with old protocols, in the order that the
// package documents. A nil lease without an error is a reason to wait, or to look
// again when there is no sight either.
func (p *proc) try(set legacy.Set, hold bool, reclaimed *[]legacy.Intent) (*lease, *legacy.Sight, error) {
	// 1. Waiting looks at the old locks first, and holds neither.
	place := p.at("")
	place.Reclaimed = *reclaimed
	if s, err := set.Look(p.ctx, place); s != nil || err != nil {
		return nil, s, err
	}
	root, err := generation.OpenOrInit(p.ctx, p.lock, protocol.Genlock)
	if err != nil {
		return nil, nil, err
	}
	l := &lease{root: root}
	if s, err := p.takeV3(l, set, hold, reclaimed); s != nil || err != nil || l.tenure == nil {
		root.Close()
		return nil, s, err
	}
	return l, nil, nil
}

func (p *proc) takeV3(l *lease, set legacy.Set, hold bool, reclaimed *[]legacy.Intent) (*legacy.Sight, error) {
	seen, err := observer.At(p.ctx, l.root)
	if err != nil {
		return nil, err
	}
	switch seen.State {
	case observer.Free:
	case observer.Abandoned:
		return nil, p.reclaimV3(l.root, seen.Generation, reclaimed)
	default:
		return nil, nil
	}
	// 2. v3 first, with the intent in its record.
	var intent generation.Intent
	if hold {
		intent.Hold = set.Names()
	}
	t, err := generation.Publish(p.ctx, l.root, intent)
	if errors.Is(err, generation.ErrHeld) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// 3. The decisive look, and 4. the old lock.
	place := p.at(t.Generation())
	place.Reclaimed = *reclaimed
	var s *legacy.Sight
	if l.cleared, s, err = set.Clear(p.ctx, place); s == nil && err == nil && hold {
		l.holding, s, err = set.Hold(p.ctx, place)
	}
	if s != nil || err != nil || hold && l.holding == nil {
		return s, errors.Join(err, t.Release())
	}
	l.tenure = t
	return nil, nil
}

func (p *proc) reclaimV3(root *fence.Root, g protocol.ID, reclaimed *[]legacy.Intent) error {
	f, err := fence.Claim(p.ctx, root, g)
	if errors.Is(err, fence.ErrMoved) {
		return nil
	}
	if err != nil {
		return err
	}
	var in legacy.Intent
	if rec := seal.Open(f).Generation.Record; rec != nil {
		in = legacy.Intent{Generation: g, Hold: rec.Hold}
	}
	_, err = retire.Reclaim(p.ctx, f)
	werr := f.Withdraw()
	var alive *retire.AliveError
	if errors.Is(err, fence.ErrMoved) || errors.As(err, &alive) {
		return werr
	}
	if err == nil {
		*reclaimed = append(*reclaimed, in)
		retire.Bury(p.ctx, root, g)
	}
	return errors.Join(err, werr)
}

// Check covers L.
func (l *lease) Check() error { return errors.Join(l.tenure.Check(), l.holding.Check()) }

// Release is in reverse.
func (l *lease) Release() error {
	defer l.root.Close()
	return errors.Join(l.holding.Release(), l.tenure.Release())
}

func (p *proc) at(mine protocol.ID) legacy.Place { return legacy.Place{Lock: p.lock, Mine: mine} }

// acquire tries a number of rounds.
func (p *proc) acquire(set legacy.Set, hold bool, rounds int) (*lease, *legacy.Sight, error) {
	var reclaimed []legacy.Intent
	var s *legacy.Sight
	for range rounds {
		l, sight, err := p.try(set, hold, &reclaimed)
		if l != nil || err != nil {
			return l, nil, err
		}
		s = sight
	}
	return nil, s, nil
}
