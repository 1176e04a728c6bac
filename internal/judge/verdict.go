// Package judge turns evidence into one verdict and one sentence.
package judge

import (
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/tree"
)

// Verdict is the answer about one holder or claimant at one moment. It may be
// old when it is read: only a verdict reached after a confirmed claim permits
// anything (rule 3).
type Verdict struct {
	Answer Answer
	// Why is the deciding evidence, or the reason why nothing is decided, in
	// one sentence for people: lower case, no full stop.
	Why string
	// Findings are all rungs that were looked at.
	Findings  []evidence.Finding
	ChildOnly bool
	Stopped   bool
	// Guards may forbid to retire the generation although its holder is gone.
	Guards tree.Guards
}

// Answer is one of four.
type Answer int

const (
	// Undecidable: the evidence proves nothing. Why names the reason.
	Undecidable Answer = iota
	Alive
	Gone
	Finished
)

func (a Answer) String() string {
	switch a {
	case Alive:
		return "alive"
	case Gone:
		return "gone"
	case Finished:
		return "finished"
	}
	return "undecidable"
}

// Spent tells whether the party can do nothing any more: it is gone or finished.
func (v Verdict) Spent() bool { return v.Answer == Gone || v.Answer == Finished }

// Reclaimable tells whether the verdict permits others to retire the generation
// (rule 5): its holder is spent, and no guard binds it.
func (v Verdict) Reclaimable() bool { return v.Spent() && !v.Guards.Binding() }
