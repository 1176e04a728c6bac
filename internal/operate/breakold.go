package operate

import (
	"context"
	"errors"
	"fmt"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/last"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// HeldBeforeError: the old lock cannot be broken, because somebody holds our own
// lock, and only its holder may touch the old one.
type HeldBeforeError struct{ Seen *observer.Observation }

func (e *HeldBeforeError) Error() string {
	return fmt.Sprintf("generation %s holds the lock, and only its holder may touch the old one; nothing was changed", e.Seen.Generation)
}

// BreakOld takes the old lock of one dialect away on an operator's word. As everybody
// who touches an old lock, it holds ours meanwhile. It returns whom the old lock
// was taken from; nil when nobody holds it.
func BreakOld(ctx context.Context, lock string, format protocol.Format, dialect string, word retire.Word) (*legacy.Sight, error) {
	root, err := generation.OpenOrInit(ctx, lock, format)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	t, err := takeBetween(ctx, root, word)
	if err != nil {
		return nil, err
	}
	at := legacy.Place{Lock: lock, Format: format, Mine: t.Generation()}
	broken, err := legacy.Break(ctx, at, dialect)
	if broken != nil && err == nil {
		noteOld(root, t, broken, word)
	}
	return broken, errors.Join(err, t.Release())
}

// takeBetween takes our lock without waiting. A holder that is provably gone or
// finished is no hindrance.
func takeBetween(ctx context.Context, root *fence.Root, word retire.Word) (*generation.Tenure, error) {
	const tries = 20 // each means that the lock changed hands meanwhile
	for range tries {
		t, err := generation.Publish(ctx, root, generation.Intent{About: &protocol.About{Label: "genlock break --old", User: word.By}})
		if !errors.Is(err, generation.ErrHeld) {
			return t, err
		}
		seen, err := observer.At(ctx, root)
		if err != nil {
			return nil, err
		}
		switch seen.State {
		case observer.Free:
			continue
		case observer.Abandoned:
		default:
			return nil, &HeldBeforeError{seen}
		}
		if err := reclaim(ctx, root, seen); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the lock changes hands too fast")
}

func reclaim(ctx context.Context, root *fence.Root, seen *observer.Observation) error {
	f, err := fence.Claim(ctx, root, seen.Generation)
	if errors.Is(err, fence.ErrMoved) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = retire.Reclaim(ctx, f)
	werr := f.Withdraw()
	var alive *retire.AliveError
	switch {
	case errors.Is(err, fence.ErrMoved):
		return werr
	case errors.As(err, &alive):
		return &HeldBeforeError{seen}
	case err == nil:
		retire.Bury(ctx, root, seen.Generation)
	}
	return errors.Join(err, werr)
}

// noteOld tells those who wait what became of the old lock. A note that cannot be
// written does not undo what was done.
func noteOld(root *fence.Root, t *generation.Tenure, broken *legacy.Sight, word retire.Word) {
	id := broken.Generation
	if id == "" {
		id = t.Generation()
	}
	message := "its old lock (" + broken.Dialect + ")"
	if word.Reason != "" {
		message += ": " + word.Reason
	}
	last.Write(seal.Open(root), seal.Open(t).Generation.Dir, &protocol.Last{Generation: id,
		Outcome: protocol.OutcomeBroken, Exit: -1, Message: message, By: word.By})
}
