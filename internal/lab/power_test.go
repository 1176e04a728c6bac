package lab

import (
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"strings"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// powerCuts stops the machine after operation k of the verb, with every subset of
// what it wrote on the disk, up to the bound. What was there before is durable,
// unless the verb says otherwise.
func (x *experiment) powerCuts(k int) {
	s := newScene(x.verb, x.flavour)
	defer s.close()
	if !x.verb.fresh {
		s.w.disk.Settle()
	}
	s.a.under(killAfter(s.a, k), func() error { return x.verb.run(s) })
	pending := s.w.disk.Pending()
	for keep := range subsets(len(pending), x.bounds.subsets, x.random(k)) {
		w := s.w.afterPowerCut(func(i int) bool { return keep[i] })
		if !x.isNew(w.disk) {
			continue
		}
		found, then := w.afterCut(x.verb)
		if then.operator+then.rootless > 0 && !x.verb.blocked && namesSurvived(pending, keep) {
			found.add("all names survived, and yet it takes an operator")
		}
		x.count(func(t *tally) { t.cuts++; t.add(then) })
		if len(found) > 0 {
			x.report(fmt.Sprintf("power cut after %s, lost\n\t\t%s\n\t", place(s.a.ops, k), lost(pending, keep)), found)
		}
	}
}

func (x *experiment) random(k int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(x.name()))
	return rand.New(rand.NewPCG(x.bounds.seed, h.Sum64()+uint64(k)))
}

// isNew tells whether no power cut of this verb left the same before.
func (x *experiment) isNew(disk *memfs.FS) bool {
	dump := disk.Dump()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.disks[dump] {
		return false
	}
	x.disks[dump] = true
	return true
}

// subsets of n things: all of them if there are at most most, else a sample that
// begins with the likely ones: what came before a moment, and all but one.
func subsets(n, most int, random *rand.Rand) iter.Seq[[]bool] {
	return func(yield func([]bool) bool) {
		if n < 30 && 1<<n <= most {
			for bits := range 1 << n {
				if !yield(chosen(n, func(i int) bool { return bits>>i&1 == 1 })) {
					return
				}
			}
			return
		}
		for tried := range most {
			in := func(i int) bool { return i != tried-n-1 }
			switch {
			case tried <= n:
				in = func(i int) bool { return i < n-tried }
			case tried > 2*n:
				share := random.Float64()
				in = func(int) bool { return random.Float64() < share }
			}
			if !yield(chosen(n, in)) {
				return
			}
		}
	}
}

// namesSurvived: what was lost is the content of files, which is what happens on
// the usual file systems.
func namesSurvived(pending []memfs.Change, keep []bool) bool {
	for i, c := range pending {
		if !keep[i] && c.Kind != memfs.Wrote {
			return false
		}
	}
	return true
}

func chosen(n int, in func(int) bool) []bool {
	keep := make([]bool, n)
	for i := range keep {
		keep[i] = in(i)
	}
	return keep
}

func lost(pending []memfs.Change, keep []bool) string {
	var lines []string
	for i, c := range pending {
		if !keep[i] {
			lines = append(lines, c.String())
		}
	}
	return strings.Join(lines, "\n\t\t")
}

// afterCut tells what is wrong when the machine runs again. Nobody lives who could
// hold: the next one takes the lock by itself, or is told why nobody can know
// and what an operator has to do, which then works.
func (w *world) afterCut(v verb) (f findings, then tally) {
	p := w.process()
	defer p.kill()
	before := w.disk.Dump()
	w.lock(genlock.Options{}).Status(p.ctx)
	if now := w.disk.Dump(); now != before {
		f.add("looking changed the disk from\n%s\nto\n%s", before, now)
	}
	err := w.turn(p)
	var held *genlock.HeldError
	switch {
	case err == nil:
	case errors.As(err, &held):
		then.operator++
		f.must("an operator unlocks", w.unlock(p, held.Seen))
		f.must("the next turn after that", w.turn(p))
	case errors.Is(err, protocol.ErrNotRoot):
		then.rootless++
		return f, then
	default:
		f.must("the next turn", err)
	}
	w.secondHolder(p, &f)
	root := w.open(p)
	defer root.Close()
	_, err = retire.Collect(p.ctx, root, 0)
	f.must("collecting", err)
	if v.durable {
		f.must("the artifact", w.artifactsWhole("", "old", "new"))
	}
	return f, then
}

// unlock is what an operator does about an observation.
func (w *world) unlock(p *process, seen *observer.Observation) error {
	if seen.Old != nil {
		_, err := operate.BreakOld(p.ctx, lockPath, w.format, seen.Old.Dialect, retire.Word{By: "operator"})
		return err
	}
	guarded := seen.State == observer.Held && seen.VerdictText() != "alive"
	if seen.State != observer.Undecidable && seen.State != observer.Damaged && !guarded {
		return fmt.Errorf("it is %s, which cannot be: %s", seen.State, seen.Evidence)
	}
	if seen.Generation == "" {
		root := w.open(p)
		defer root.Close()
		return retire.BreakNameless(p.ctx, root)
	}
	return breakAs(&scene{w: w}, p, seen.Generation)
}

// secondHolder: while one holds, nobody else does.
func (w *world) secondHolder(p *process, f *findings) {
	s := &scene{w: w}
	lease, err := w.lock(genlock.Options{}).TryAcquire(p.ctx)
	f.must("taking it", err)
	if err == nil {
		s.exclusion(f)
		f.must("releasing it", lease.Release())
	}
}
