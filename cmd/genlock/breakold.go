package main

import (
	"context"
	"errors"
	"fmt"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// breakOld takes the old lock of the dialect f.old away from its holder. It returns
// what to say.
func (f *breakFlags) breakOld(ctx context.Context, name string) (string, error) {
	// The options are checked as those of any other use of the lock.
	lock := genlock.New(name, &genlock.Options{Format: protocol.Format(f.format), Dialects: f.old})
	seen, err := lock.Status(ctx)
	if err != nil && seen == nil {
		return "", err
	}
	if err == nil && seen.Old == nil {
		return fmt.Sprintf("nothing to break: no old lock stands at %s", name), nil
	}
	format := protocol.Genlock
	if f.format != "" {
		format = protocol.Format(f.format)
	}
	broken, err := operate.BreakOld(ctx, lock.Path(), format, f.old, retire.Word{By: whoAndWhere(), Reason: f.reason})
	var other *legacy.OtherDialectError
	var before *operate.HeldBeforeError
	var blocked *legacy.BlockedError
	switch {
	case errors.As(err, &other):
		return "", &stateError{other.Error(), fmt.Sprintf("genlock break %s --old %s", observer.Quote(lock.Path()), other.Sight.Dialect)}
	case errors.As(err, &before):
		return "", &stateError{fmt.Sprintf("lock %s: %v", name, before), "who holds it, and whether that is alive: genlock status " + observer.Quote(lock.Path())}
	case errors.As(err, &blocked) && blocked.Sight.Strange:
		return "", &stateError{fmt.Sprintf("%s: %s; nothing was changed", blocked.Sight.Path, blocked.Sight.Why),
			"is that path the lock's? ls -la " + observer.Quote(blocked.Sight.Path)}
	case broken == nil && err == nil:
		return fmt.Sprintf("nothing to break: no old lock of the dialect %s stands at %s", f.old, name), nil
	case err != nil:
		return "", err
	}
	f.note(ctx, lock.Path(), broken.Generation, &observer.Holder{PID: broken.PID, Hostname: broken.Hostname, Label: broken.Dialect})
	return fmt.Sprintf("broke the old lock (%s) at %s, which %s", broken.Dialect, broken.Path, broken.Describe()), nil
}
