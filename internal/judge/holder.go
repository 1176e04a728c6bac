package judge

import (
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/tree"
)

// Holder judges the holder of g, guards included. Without a confirmed claim the
// verdict only informs (rule 3).
func Holder(r *tree.Root, g *tree.Generation) (Verdict, error) {
	emptied, err := r.BeingEmptied(g)
	if err != nil {
		return Verdict{}, err
	}
	findings := []evidence.Finding{completion(r, g)}
	if emptied {
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
