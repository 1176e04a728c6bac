package judge

import (
	"fmt"
	"slices"

	"genlock.dev/genlock/internal/evidence"
)

// Weigh makes one verdict of the findings: finished beats all, a contradiction
// resolves to alive, and gone needs that no rung says alive.
func Weigh(findings []evidence.Finding) Verdict {
	v := Verdict{Findings: findings}
	for _, f := range findings {
		v.ChildOnly = v.ChildOnly || f.ChildOnly
		v.Stopped = v.Stopped || f.Stopped
	}
	alive, isAlive := best(findings, evidence.Alive)
	gone, isGone := best(findings, evidence.Gone)
	done, isDone := best(findings, evidence.Finished)
	unseen, isUnseen := withheld(findings)
	switch {
	case isDone:
		v.Answer, v.Why = Finished, done.Why
	case isAlive:
		v.Answer, v.Why = Alive, against(alive, gone, isGone)
	case isGone && isUnseen && !provesMore(findings):
		v.Why = fmt.Sprintf(evidence.SayWithheld, gone.Why, unseen.Why)
	case isGone:
		v.Answer, v.Why = Gone, gone.Why
	default:
		v.Why = reasons(findings)
	}
	return v
}

// best picks the finding that people can check most easily: a process by its
// number first, unless only a child of it is left.
func best(findings []evidence.Finding, a evidence.Answer) (evidence.Finding, bool) {
	var found evidence.Finding
	ok := false
	for _, f := range findings {
		if f.Answer == a && (!ok || f.Rung == evidence.Process) {
			found, ok = f, true
		}
	}
	return found, ok
}

// against says it when a sign of life stands against a sign of death. A child
// that goes on is no contradiction: its sentence tells both.
func against(alive, gone evidence.Finding, isGone bool) string {
	switch {
	case !isGone || alive.ChildOnly:
		return alive.Why
	case gone.Rung == evidence.Witness:
		return fmt.Sprintf(evidence.SayRunsWitnessFree, alive.Why)
	}
	return fmt.Sprintf(evidence.SayAliveAgainstGone, alive.Why)
}

// provesMore tells whether another rung than the process says gone: what else the
// holder started ends with the kernel, not with its process.
func provesMore(findings []evidence.Finding) bool {
	return slices.ContainsFunc(findings, func(f evidence.Finding) bool {
		return f.Answer == evidence.Gone && f.Rung != evidence.Process
	})
}

func withheld(findings []evidence.Finding) (evidence.Finding, bool) {
	for _, f := range findings {
		if f.Withholds {
			return f, true
		}
	}
	return evidence.Finding{}, false
}

// reasons says why nothing is decided: what is known about the process first,
// then why its witness does not settle it. That it never said it was done is no
// reason for anything.
func reasons(findings []evidence.Finding) string {
	why := ""
	for _, f := range slices.Backward(findings) {
		switch {
		case f.Rung == evidence.Completion:
		case why == "":
			why = f.Why
		default:
			why = fmt.Sprintf(evidence.And, why, f.Why)
		}
	}
	if why == "" {
		return evidence.SayNoEvidence
	}
	return why
}
