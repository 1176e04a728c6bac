package legacy

import (
	"context"
	"fmt"
	"slices"
	"time"

	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/protocol"
)

// leftoverAge is how old a lock without a record must be before it can be taken
// for what a reclaimed generation of ours left while taking it.
const leftoverAge = 30 * time.Second

// leftover judges an old lock that tells nobody's name. Its age proves nothing,
// unless a generation of ours had announced to take it and is spent. said is
// what to say otherwise.
//
// The announcement goes with its generation. So as long as that is current, and
// the lock not old enough, the lock stands in the way: whoever reclaimed the
// generation now would leave a lock about which nobody can know any more.
func leftover(ctx context.Context, at Place, dialect string, age time.Duration, said string) (verdict, error) {
	if g, meant := at.meant(dialect); meant {
		if age <= leftoverAge {
			return verdict{why: fmt.Sprintf(sayTooYoung, g, round(age))}, nil
		}
		return verdict{answer: judge.Gone, why: fmt.Sprintf(sayLeft, g, round(age)), ours: true}, nil
	}
	if at.Mine != "" {
		return verdict{why: said}, nil
	}
	g, spent, err := announced(ctx, at, dialect)
	switch {
	case err != nil || g == "":
		return verdict{why: said}, err
	case spent && age <= leftoverAge:
		return verdict{why: fmt.Sprintf(sayTooYoung, g, round(age))}, nil
	}
	return verdict{why: fmt.Sprintf(sayAnnounced, g), current: true}, nil
}

const (
	sayTooYoung  = "it may be what genlock generation %s left while taking it, but it is only %s old"
	sayLeft      = "genlock generation %s meant to take it and is gone, and nobody has touched it for %s"
	sayAnnounced = "genlock generation %s means to take it"
)

// announced returns the generation that is current, if its record says that it
// takes the old lock in this dialect, and whether its holder is spent.
func announced(ctx context.Context, at Place, dialect string) (g protocol.ID, spent bool, err error) {
	r, err := rootOf(ctx, at)
	if r == nil || err != nil {
		return "", false, err
	}
	defer r.Close()
	now, v, err := judge.Current(r)
	if now == nil || err != nil {
		return "", false, err
	}
	defer now.Close()
	if now.Record == nil || !slices.Contains(now.Record.Hold, dialect) {
		return "", false, nil
	}
	return now.ID, v.Reclaimable(), nil
}
