package judge

import (
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/tree"
)

// Current looks at the held generation and judges its holder; nil when there is none.
// What holds nothing is not judged. Nothing is called undecidable that was retired
// while the evidence was looked for (rule 6).
func Current(r *tree.Root) (*tree.Generation, Verdict, error) {
	return Settle(r, func() (*tree.Generation, error) { return r.Current() })
}

// lookAgain bounds how often evidence is looked for because the lock changed hands
// meanwhile.
const lookAgain = 100

// Settle is Current for whatever look finds.
func Settle(r *tree.Root, look func() (*tree.Generation, error)) (*tree.Generation, Verdict, error) {
	for range lookAgain {
		g, err := look()
		if g == nil || err != nil || g.ID == "" && (g.Empty || g.Debris) {
			return g, Verdict{}, err
		}
		v, err := Holder(r, g)
		if err == nil && v.Answer != Undecidable {
			return g, v, nil
		}
		stands := false
		if err == nil {
			stands, err = r.Stands(g)
		}
		if stands {
			return g, v, nil
		}
		g.Close()
		if err != nil {
			return nil, Verdict{}, err
		}
	}
	return nil, Verdict{}, tree.ErrRestless
}

// Holder judges the holder of g, guards included. Without a confirmed claim the
// verdict only informs (rule 3).
func Holder(r *tree.Root, g *tree.Generation) (Verdict, error) {
	findings := []evidence.Finding{completion(r, g)}
	if g.Emptied {
		findings = append(findings, evidence.Finding{Rung: evidence.Completion,
			Answer: evidence.Finished, Why: evidence.SaidEmptied})
	}
	v := Weigh(append(findings, evidence.Gather(r.Env.Machine, g.Party(r.Kind))...))
	guards, err := r.Guards(g.ID)
	if err != nil {
		return Verdict{}, err
	}
	v.Guards = guards
	if len(guards.Ours) > 0 && !commandsGone(v) {
		v.Guards.Pending = true
	}
	return v, nil
}

// commandsGone tells whether not only the holder but everything it started is
// gone: only the witness, which they inherit, and another boot say that.
func commandsGone(v Verdict) bool {
	if v.Answer != Gone {
		return false
	}
	for _, f := range v.Findings {
		if f.Answer == evidence.Gone && (f.Rung == evidence.Witness || f.Rung == evidence.Boot) {
			return true
		}
	}
	return false
}

// Claimant judges who made a claim.
func Claimant(r *tree.Root, c *tree.Claim) Verdict {
	return Weigh(evidence.Gather(r.Env.Machine, c.Party(r.Kind)))
}

// completion is rung 0. Only generations of ours promise what it needs.
func completion(r *tree.Root, g *tree.Generation) evidence.Finding {
	f := evidence.Finding{Rung: evidence.Completion}
	switch {
	case g.Record == nil || !g.Record.Ours():
		f.Why = evidence.SaidNotPromised
	case g.Complete:
		f.Answer, f.Why = evidence.Finished, evidence.SaidComplete
	case g.Record.Process.Instance != "" &&
		g.Record.Process.Instance == r.Env.Machine.Self().Instance && !r.Env.Leases.Has(g.ID):
		f.Answer, f.Why = evidence.Finished, evidence.SaidOwnInstance
	default:
		f.Why = evidence.SaidNothing
	}
	return f
}
