package retire

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/last"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/protocol"
)

// Word is an operator's decision in place of a verdict (rule 15).
type Word struct {
	By     string // who decided
	Reason string // why
	// Quarantined: also retire what a guard has quarantined.
	Quarantined bool
}

// Break retires the fenced generation on an operator's word and records it in
// last.json. The tombstone stays until the holder is complete or gone, so that
// a live holder which comes back finds it, and nothing of its successor.
func Break(ctx context.Context, f *fence.Fence, w Word) error {
	token := seal.Open(f)
	guards, err := token.Root.Guards(token.Generation.ID)
	if err != nil {
		return err
	}
	if guards.Binding() && !w.Quarantined {
		why := guards.Quarantine
		if why == "" {
			why = "a guard says that a command of it may still run"
		}
		return &QuarantinedError{Generation: token.Generation.ID, Why: why, Paths: guards.Paths}
	}
	// Noted first: who waits takes the lock as soon as it is free, and would miss
	// a note that came later. A note that cannot be written then is tried again:
	// it does not keep an operator from breaking.
	broken := &protocol.Last{Generation: token.Generation.ID,
		Outcome: protocol.OutcomeBroken, Exit: -1, Message: w.Reason, By: w.By}
	noted := last.Write(token.Root, token.Generation.Dir, broken)
	if err := move(token); err != nil {
		unnote(token)
		return err
	}
	if noted == nil {
		return nil
	}
	return note(token, broken)
}

// unnote takes back the note about a generation that ended by itself meanwhile.
func unnote(token *tree.Fenced) {
	l := token.Root.Last()
	if l != nil && l.Generation == token.Generation.ID && l.Outcome == protocol.OutcomeBroken {
		token.Root.Dir.Remove(protocol.LastName)
	}
}

// BreakNameless empties, on an operator's word, a held directory that is damaged so
// badly that it names no generation: no id is readable, and no witness is there.
// Nothing can be claimed or buried by name then. fence.ErrMoved when there is no
// such thing.
func BreakNameless(ctx context.Context, root *fence.Root) error {
	r := seal.Open(root)
	g, err := r.Current()
	if err != nil {
		return err
	}
	if g == nil {
		return fence.ErrMoved
	}
	defer g.Close()
	if g.ID != "" || g.Empty {
		return fence.ErrMoved
	}
	guards, err := r.Guards(g.ID)
	if err != nil {
		return err
	}
	if guards.Binding() {
		return &QuarantinedError{Why: guards.Quarantine, Paths: guards.Paths}
	}
	if err := tomb.Clear(r, g); err != nil {
		return fmt.Errorf("lock %s: cannot empty what is left of its generation: %w", r.Lock, err)
	}
	return nil
}

// note is prepared in the generation's directory. What could not be renamed was
// emptied in place: then its tombstone stands in for it.
func note(token *tree.Fenced, l *protocol.Last) error {
	err := last.Write(token.Root, token.Generation.Dir, l)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tombstone, terr := token.Root.Tombstone(token.Generation.ID)
	if terr != nil || tombstone == nil {
		return err
	}
	defer tombstone.Close()
	return last.Write(token.Root, tombstone.Dir, l)
}
