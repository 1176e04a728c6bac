// Package retire ends generations that somebody else holds: reclaiming what is
// provably gone or finished, breaking what an operator names, and collecting
// what nobody can still act on.
package retire

import (
	"context"
	"errors"
	"fmt"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/guard"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/protocol"
)

// AliveError: the evidence does not permit to retire the generation (rule 5).
type AliveError struct {
	Generation protocol.ID
	Verdict    string // "alive" or "undecidable"
	Why        string // one sentence
}

func (e *AliveError) Error() string {
	return fmt.Sprintf("generation %s is %s: %s", e.Generation, e.Verdict, e.Why)
}

// ErrQuarantined: a guard says that commands of the generation may still run and
// nobody can tell. Only an operator may retire it.
var ErrQuarantined = errors.New("the generation is quarantined")

// QuarantinedError names the guard's reason and what it retains.
type QuarantinedError struct {
	Generation protocol.ID
	Why        string
	Paths      []string
}

func (e *QuarantinedError) Error() string {
	return fmt.Sprintf("generation %s is quarantined: %s", e.Generation, e.Why)
}

// Is matches ErrQuarantined.
func (e *QuarantinedError) Is(target error) bool { return target == ErrQuarantined }

// Reclaim judges the holder of the fenced generation and retires it when it is
// provably gone or finished; evidence is the sentence that proves it. The claim
// is confirmed before the judgement, so that the verdict is about this very
// generation (rule 3). fence.ErrMoved when somebody else was faster. The
// caller withdraws the fence afterwards and then calls Bury.
func Reclaim(ctx context.Context, f *fence.Fence) (evidence string, err error) {
	token := seal.Open(f)
	if mutant.On(mutant.VerdictBeforeClaim) || mutant.On(mutant.ReleasedIsAbandoned) {
		return "it was gone before", move(token)
	}
	v, err := judge.Holder(token.Root, token.Generation)
	if err != nil {
		return "", err
	}
	id := token.Generation.ID
	switch {
	case v.Guards.Quarantine != "":
		return "", &QuarantinedError{Generation: id, Why: v.Guards.Quarantine, Paths: v.Guards.Paths}
	case v.Guards.Pending && v.Spent():
		return "", &AliveError{Generation: id, Verdict: judge.Alive.String(),
			Why: "a guard says that a command of it may still run"}
	case v.Answer == judge.Undecidable && !stands(token):
		return "", fence.ErrMoved
	case !v.Spent():
		return "", &AliveError{Generation: id, Verdict: v.Answer.String(), Why: v.Why}
	}
	if err := move(token); err != nil {
		return v.Why, err
	}
	// The verdict proves the commands behind our own guards gone. One that
	// stays binds nothing but the tombstone.
	guard.Remove(token.Root, v.Guards.Ours...)
	return v.Why, nil
}

// stands tells whether the generation is still what was read of it: somebody who was
// faster deletes the evidence. Not being able to tell is no reason to doubt the verdict.
func stands(token *tree.Fenced) bool {
	yes, err := token.Root.Stands(token.Generation)
	return yes || err != nil
}

func move(token *tree.Fenced) error {
	if token.Spent {
		return fence.ErrMoved
	}
	err := tomb.Retire(token)
	if errors.Is(err, tomb.ErrNotCurrent) || errors.Is(err, tomb.ErrFenced) {
		return fence.ErrMoved
	}
	if err != nil {
		token.Unclear = tomb.Unclear(token.Root, err)
		return fmt.Errorf("lock %s: cannot retire generation %s: %w", token.Root.Lock, token.Generation.ID, err)
	}
	return nil
}

// Bury deletes the tombstone of id if nobody can still act on it, and reports
// whether it is gone. It costs nothing to call it for one that must stay.
func Bury(ctx context.Context, root *fence.Root, id protocol.ID) (bool, error) {
	return tomb.Bury(seal.Open(root), id)
}
