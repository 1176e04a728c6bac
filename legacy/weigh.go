package legacy

import (
	"context"
	"errors"

	"genlock.dev/genlock/fence"
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
	self   bool
}

const (
	sayOurRest  = "this very process took it and no lease of it is left"
	sayOurLease = "this very process holds it"
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
	became, err := became(ctx, at, rec.Generation)
	if err != nil {
		return verdict{}, err
	}
	v := judge.Weigh(append(became, evidence.Gather(e.Machine, p)...))
	return verdict{answer: v.Answer, why: v.Why}, nil
}

// became tells what the v3 root knows of generation g: it is current, it is a
// tombstone, or nothing is left of it. The last proves that it is spent, since
// nobody takes an old lock before its generation is published and no tombstone
// goes before its holder is spent; a process that is seen to live still counts
// more, because people delete roots by hand.
func became(ctx context.Context, at Place, g protocol.ID) ([]evidence.Finding, error) {
	r, err := tree.Open(ctx, at.Lock, at.format())
	if errors.Is(err, fence.ErrNoRoot) || errors.Is(err, protocol.ErrFormat) ||
		errors.Is(err, protocol.ErrTooNew) || errors.Is(err, protocol.ErrNotRoot) {
		return nil, nil // nothing that could be understood is said there
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	now, err := r.Current()
	if err == nil && (now == nil || now.ID != g) {
		if now != nil {
			now.Close()
		}
		now, err = r.Tombstone(g)
	}
	if err != nil {
		return nil, err
	}
	if now == nil {
		return []evidence.Finding{{Rung: evidence.Completion, Answer: evidence.Gone, Why: sayBuried}}, nil
	}
	defer now.Close()
	v, err := judge.Holder(r, now)
	if err != nil || v.Answer == judge.Undecidable {
		return nil, err
	}
	answers := map[judge.Answer]evidence.Answer{judge.Alive: evidence.Alive,
		judge.Gone: evidence.Gone, judge.Finished: evidence.Finished}
	answer := answers[v.Answer]
	if v.Guards.Binding() {
		answer = evidence.Alive
	}
	return []evidence.Finding{{Rung: evidence.Completion, Answer: answer, Why: v.Why, ChildOnly: v.ChildOnly}}, nil
}
