package retire

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/protocol"
)

// Collected counts what a collection removed and what it had to leave.
type Collected struct {
	Tombstones, Litter int // removed
	Kept               int // looked at and left: somebody may still act on it
}

// Collect deletes tombstones on which nobody can still act and the litter of
// crashed attempts: at most budget entries of each are looked at, all if budget <= 0.
// Which ones changes from call to call, so that entries that have to stay do not
// keep the others from their turn. It may run beside anything (rule 8). What
// cannot be removed does not keep the rest from being; the errors are joined.
func Collect(ctx context.Context, root *fence.Root, budget int) (Collected, error) {
	r := seal.Open(root)
	var done Collected
	tombs, terr := tombstones(r, budget)
	for _, id := range tombs {
		if ctx.Err() != nil {
			return done, context.Cause(ctx)
		}
		gone, err := tomb.Bury(r, id)
		done.add(&done.Tombstones, gone)
		terr = errors.Join(terr, err)
	}
	names, lerr := inFlight(r, budget)
	for _, name := range names {
		if ctx.Err() != nil {
			return done, context.Cause(ctx)
		}
		gone, err := tomb.Litter(r, name)
		done.add(&done.Litter, gone)
		lerr = errors.Join(lerr, err)
	}
	return done, errors.Join(terr, lerr)
}

func (c *Collected) add(count *int, gone bool) {
	if gone {
		*count++
	} else {
		c.Kept++
	}
}

// tombstones lists at most max tombstones. Names that are no generation were not
// made by this protocol and are not ours to delete.
func tombstones(r *tree.Root, max int) (ids []protocol.ID, err error) {
	retired, err := r.Retired()
	if err != nil || retired == nil {
		return nil, err
	}
	defer retired.Close()
	names, err := retired.Names(0)
	for _, name := range names {
		if id, ok := protocol.ParseID(name); ok {
			ids = append(ids, id)
		}
	}
	return some(r, ids, max), missingIsFine(err)
}

// inFlight lists what may be litter in the root, at most max names.
func inFlight(r *tree.Root, max int) (litter []string, err error) {
	names, err := r.Dir.Names(0)
	for _, name := range names {
		_, candidate := protocol.ParseCandidateName(name)
		_, _, claim := protocol.ParseClaimCandidateName(name)
		if candidate || claim {
			litter = append(litter, name)
		}
	}
	return some(r, litter, max), missingIsFine(err)
}

// some is at most max of all, from a place that a fresh id draws.
func some[T any](r *tree.Root, all []T, max int) []T {
	if max <= 0 || len(all) <= max {
		return all
	}
	start := 0
	if id, err := r.Env.NewID(); err == nil {
		n, _ := strconv.ParseUint(string(id[len(id)-8:]), 16, 32)
		start = int(n % uint64(len(all)))
	}
	return slices.Concat(all[start:], all[:start])[:max]
}

func missingIsFine(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
