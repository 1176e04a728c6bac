package legacy

import (
	"context"
	"errors"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/protocol"
)

// verdict is the answer about one holder.
type verdict struct {
	answer judge.Answer
	why    string
	// self: this very process holds it. current: its v3 generation is the
	// held one, so that who waits for that waits for this, too.
	self, current bool
	// ours: genlock left it, although it has no record to say so.
	ours bool
}

const (
	sayOurRest  = "this very process took it and no lease of it is left"
	sayOurLease = "this very process holds it"
	sayGuarded  = "a guard says that a command of it may still run"
	sayBuried   = "genlock wrote it for a generation that is retired and buried, so its holder is done"
)

// weigh judges the holder of an old lock by its record. An old program's record
// is rung 4. One that genlock wrote in hold mode is judged by its process and
// boot, and by what became of the v3 generation that it names: whoever is spent
// there has no right to the old lock either.
func weigh(ctx context.Context, at Place, p evidence.Party) (verdict, error) {
	e := env.From(ctx)
	rec := p.Record
	if !rec.Ours() {
		v := judge.Weigh(evidence.Gather(e.Machine, p))
		return verdict{answer: v.Answer, why: v.Why}, nil
	}
	self := e.Machine.Self().Instance
	if self != "" && rec.Process.Instance == self {
		if e.Leases.Has(rec.Generation) {
			return verdict{answer: judge.Alive, why: sayOurLease, self: true}, nil
		}
		return verdict{answer: judge.Finished, why: sayOurRest}, nil
	}
	r, err := rootOf(ctx, at)
	if err != nil || r == nil {
		v := judge.Weigh(evidence.Gather(e.Machine, p))
		return verdict{answer: v.Answer, why: v.Why}, err
	}
	defer r.Close()
	g, v, err := judge.Settle(r, func() (*tree.Generation, error) { return generationOf(r, rec.Generation) })
	if err != nil {
		return verdict{}, err
	}
	if g == nil {
		v := judge.Weigh(append(evidence.Gather(e.Machine, p), buried))
		return verdict{answer: v.Answer, why: v.Why}, nil
	}
	defer g.Close()
	current, err := r.IsCurrent(g.Info.ID())
	if v.Spent() && v.Guards.Binding() {
		return verdict{answer: judge.Alive, why: sayGuarded, current: current}, err
	}
	return verdict{answer: v.Answer, why: v.Why, current: current}, err
}

// buried is the finding when nothing is left of the v3 generation. It proves that
// its holder is spent, since nobody takes an old lock before its generation is
// published, and no tombstone goes before its holder is spent. A process that
// is seen to live still counts more: people delete roots by hand.
var buried = evidence.Finding{Rung: evidence.Completion, Answer: evidence.Gone, Why: sayBuried}

// rootOf opens the v3 root; nil when nothing can be learned there.
func rootOf(ctx context.Context, at Place) (*tree.Root, error) {
	r, err := tree.Open(ctx, at.Lock, at.format())
	switch {
	case errors.Is(err, tree.ErrNoRoot), absent(err), errors.Is(err, protocol.ErrFormat),
		errors.Is(err, protocol.ErrTooNew), errors.Is(err, protocol.ErrNotRoot):
		return nil, nil
	}
	return r, err
}

// generationOf opens what the root has of generation id: the held one, or a
// tombstone; nil when nothing is left.
func generationOf(r *tree.Root, id protocol.ID) (*tree.Generation, error) {
	g, err := r.Current()
	if g != nil && g.ID != id {
		g.Close()
		g = nil
	}
	if g == nil && err == nil {
		g, err = r.Tombstone(id)
	}
	return g, err
}

const (
	sayLeftBehind = "genlock made it, and no generation that could hold it is current"
	sayUnknowable = "genlock made it, but the lock beside it cannot be understood"
)

// weighCurrent judges an old lock of ours that cannot name its generation: as long
// as somebody else's is current, it belongs to that.
func weighCurrent(ctx context.Context, at Place) (verdict, error) {
	r, err := tree.Open(ctx, at.Lock, at.format())
	switch {
	case errors.Is(err, tree.ErrNoRoot), absent(err):
		return verdict{answer: judge.Finished, why: sayLeftBehind}, nil
	case errors.Is(err, protocol.ErrFormat), errors.Is(err, protocol.ErrTooNew), errors.Is(err, protocol.ErrNotRoot):
		return verdict{why: sayUnknowable}, nil
	case err != nil:
		return verdict{}, err
	}
	defer r.Close()
	g, v, err := judge.Current(r)
	if err != nil {
		return verdict{}, err
	}
	if g == nil {
		return verdict{answer: judge.Finished, why: sayLeftBehind}, nil
	}
	defer g.Close()
	if g.Empty || g.Debris || g.ID == at.Mine && at.Mine != "" {
		return verdict{answer: judge.Finished, why: sayLeftBehind}, nil
	}
	self := g.Record != nil && r.Env.Leases.Has(g.ID)
	return verdict{answer: v.Answer, why: v.Why, self: self, current: true}, nil
}

func (v verdict) spent() bool { return v.answer == judge.Gone || v.answer == judge.Finished }
