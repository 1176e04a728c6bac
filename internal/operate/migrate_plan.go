package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

// Migrating is what old protocols have to do with one key. It is a line of `genlock
// migrate status --json`.
type Migrating struct {
	Schema int    `json:"schema"`
	Lock   string `json:"lock"`
	// State is "held" when an old lock stands there, and "littered" when old
	// programs have only left something.
	State string `json:"state"`
	// Held are the old locks, once for each dialect that they can be of.
	Held []*legacy.Sight `json:"held"`
	// Litter is what they left.
	Litter []Litter `json:"litter"`
	// Genlock: a lock of our own lies beside it.
	Genlock bool `json:"genlock"`
	// Todo says what remains to do, one sentence each.
	Todo  []string `json:"todo"`
	Error string   `json:"error,omitempty"`
}

// Litter is what one old protocol left of one kind.
type Litter struct {
	Dialect string          `json:"dialect,omitempty"` // "" for what genlock left in hold mode
	Kind    legacy.RestKind `json:"kind"`
	Count   int             `json:"count"`
	Path    string          `json:"path"` // the first of them
}

func (k *Migrating) add(dialect string, kind legacy.RestKind, path string, n int) {
	if n == 0 {
		return
	}
	for i := range k.Litter {
		if l := &k.Litter[i]; l.Dialect == dialect && l.Kind == kind {
			l.Count += n
			return
		}
	}
	k.Litter = append(k.Litter, Litter{dialect, kind, n, path})
}

// plan says what remains to do.
func (k *Migrating) plan() {
	todo := func(format string, args ...any) {
		if s := fmt.Sprintf(format, args...); !slices.Contains(k.Todo, s) {
			k.Todo = append(k.Todo, s)
		}
	}
	if k.Error != "" {
		todo("look at what stands there: %s", k.Error)
	}
	for _, s := range k.Held {
		switch {
		case s.Spent():
			todo("nothing about the lock at %s: the next run with --dialect %s reclaims it", s.Path, s.Dialect)
		case s.Verdict == legacy.Alive:
			todo("wait until its holder has released the lock at %s", s.Path)
		default:
			todo("if you know that its holder is gone: genlock break %s --old %s", quote(k.Lock), s.Dialect)
		}
	}
	for _, l := range k.Litter {
		switch l.Kind {
		case legacy.Tombstone:
			todo("when no program of %s can be started any more: genlock migrate collect --extinct %s", l.Dialect, quote(k.Lock))
		case legacy.Root:
			todo("when no program of %s can be started any more: rm -r %s", l.Dialect, quote(l.Path))
		default:
			todo("genlock migrate collect %s", quote(k.Lock))
		}
	}
}

// CollectOld removes what old protocols have left beside one lock, as far as their
// rules allow.
func CollectOld(ctx context.Context, lock string, format protocol.Format, set legacy.Set, word legacy.Word) (legacy.Collected, error) {
	var all legacy.Collected
	var err error
	for _, d := range set {
		one, derr := d.Collect(ctx, legacy.Place{Lock: lock, Format: format}, word)
		all.Removed, all.Kept = append(all.Removed, one.Removed...), append(all.Kept, one.Kept...)
		err = errors.Join(err, derr)
	}
	slices.Sort(all.Removed)
	slices.Sort(all.Kept)
	all.Removed, all.Kept = slices.Compact(all.Removed), slices.Compact(all.Kept)
	return all, err
}
