package legacy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Set is the dialects that a caller has enabled. Its zero value enables none: then
// every old lock that a known dialect sees stands in the way until it is
// released, and nothing is reclaimed.
type Set []Dialect

// Names lists the names of the dialects, for the v3 record's hold.
func (s Set) Names() []string {
	var names []string
	for _, d := range s {
		names = append(names, d.Name())
	}
	return names
}

// Look tells who stands in the way, and writes nothing; nil when nobody does. An
// old lock whose holder is spent does not: Clear will reclaim it. Nor does that of
// a genlock process whose generation is current: who waits for that generation
// waits for its old lock, too.
func (s Set) Look(ctx context.Context, at Place) (*Sight, error) {
	sights, err := s.See(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, sight := range sights {
		if !sight.Spent() && !sight.current {
			return sight, nil
		}
	}
	return nil, nil
}

// See lists every old lock that stands there, spent ones too, for people. One
// directory that several dialects see is told once.
func (s Set) See(ctx context.Context, at Place) ([]*Sight, error) {
	quiet, err := s.quiet(ctx, at)
	if quiet || err != nil {
		return nil, err
	}
	var all []*Sight
	for _, d := range s {
		sight, err := d.See(ctx, at)
		if err != nil {
			return nil, err
		}
		if sight != nil {
			all = append(all, sight)
		}
	}
	others, err := s.seeOthers(ctx, at, all)
	if err != nil {
		return nil, err
	}
	return sure(append(all, others...)), nil
}

// quiet is the quick look: nothing stands in any place in which the known dialects
// keep their locks. It costs one system call for each place.
func (s Set) quiet(ctx context.Context, at Place) (bool, error) {
	if slices.ContainsFunc(s, func(d Dialect) bool { _, known := kindOf(d.Name()); return !known }) {
		return false, nil // a caller's own dialect may look anywhere
	}
	for i, k := range kinds {
		if slices.ContainsFunc(kinds[:i], func(o kind) bool { return o.place == k.place }) {
			continue
		}
		_, err := env.From(ctx).FS.Lstat(at.Lock + k.place)
		if !absent(err) {
			return false, err
		}
	}
	return true, nil
}

// seeOthers looks for locks of dialects that are not enabled. They are never
// ignored, and not reclaimed unless genlock itself wrote them.
func (s Set) seeOthers(ctx context.Context, at Place, seen []*Sight) ([]*Sight, error) {
	var others []*Sight
	for _, k := range kinds {
		sure := func(o *Sight) bool {
			at, ok := kindOf(o.Dialect)
			return ok && o.Sure && at.place == k.place
		}
		if slices.Contains(s.Names(), k.name) || slices.ContainsFunc(seen, sure) {
			continue // in the second case nothing that it could see there would count
		}
		d, err := k.make("")
		if err != nil {
			return nil, err
		}
		sight, err := d.See(ctx, at)
		if errors.Is(err, protocol.ErrNotRoot) {
			continue // nobody takes part in it
		}
		if err != nil {
			return nil, err
		}
		known := func(o *Sight) bool { return o.Path == sight.Path && (o.Sure || !sight.Sure) }
		if sight == nil || slices.ContainsFunc(seen, known) {
			continue
		}
		others = append(others, sight)
		if sight.Process || sight.Strange {
			continue // genlock's own is judged whatever is enabled
		}
		if sight.Spent() {
			sight.Verdict = Undecidable
		}
		sight.Next = fmt.Sprintf("--dialect %s lets genlock judge and reclaim it", k.name)
	}
	return others, nil
}

// sure drops what a dialect only guesses where another one is sure of the same
// directory, and says everything once.
func sure(all []*Sight) []*Sight {
	var out []*Sight
	for _, s := range all {
		better := func(o *Sight) bool { return o.Path == s.Path && o.Sure && !s.Sure }
		if !slices.ContainsFunc(all, better) {
			out = append(out, s)
		}
	}
	return out
}

// blocking is the first sight that stands in the way. Where several dialects see
// the same lock, all must agree that its holder is spent.
func blocking(sights []*Sight) *Sight {
	for _, s := range sights {
		if !s.Spent() {
			return s
		}
	}
	return nil
}

// Cleared is an old lock that was reclaimed, and what proved that it could be.
type Cleared struct {
	Sight    *Sight
	Evidence string
}

// Clear is the decisive look of a caller that holds v3: it fences and reclaims every
// old lock whose holder is provably spent. A sight that it returns stands in the
// way: the caller releases v3 and waits. With ErrMoved it is provably spent, and moves
// whenever it is to be reclaimed. Clear also sweeps what the generations
// in Place.Reclaimed left.
func (s Set) Clear(ctx context.Context, at Place) (done []Cleared, inTheWay *Sight, err error) {
	for _, in := range at.Reclaimed {
		if err := s.sweep(ctx, at, in); err != nil {
			return nil, nil, err
		}
	}
	var last *Sight
	var why error // what the system said when something moved
	for range lookAgain {
		sights, err := s.See(ctx, at)
		if err != nil || len(sights) == 0 {
			return done, nil, err
		}
		if b := blocking(sights); b != nil {
			return done, b, nil
		}
		last = sights[0]
		evidence, err := s.reclaim(ctx, at, last)
		var blocked *BlockedError
		switch {
		case err == nil:
			done = append(done, Cleared{Sight: last, Evidence: evidence})
		case errors.As(err, &blocked):
			return done, blocked.Sight, nil
		case !errors.Is(err, ErrMoved):
			return done, nil, err
		case vfs.IsVanished(err):
			why = err
		}
	}
	return done, last, why
}

func (s Set) reclaim(ctx context.Context, at Place, seen *Sight) (string, error) {
	for _, d := range s {
		if d.Name() == seen.Dialect {
			return d.Reclaim(ctx, at)
		}
	}
	k, ok := kindOf(seen.Dialect)
	if !ok || !seen.Process {
		return "", &BlockedError{Sight: seen}
	}
	d, err := k.make("")
	if err != nil {
		return "", err
	}
	return d.Reclaim(ctx, at)
}

// sweep knows by the record which dialects a spent generation meant to hold,
// whether or not they are enabled here.
func (s Set) sweep(ctx context.Context, at Place, in Intent) error {
	for _, name := range in.Hold {
		k, ok := kindOf(name)
		if !ok {
			continue // a dialect of a later version
		}
		d, err := k.make("")
		if err == nil {
			err = d.Sweep(ctx, at, in.Generation)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
