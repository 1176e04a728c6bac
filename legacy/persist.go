package legacy

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/vfs"
)

// persist tries again what may have failed for a passing reason, within a budget.
// What lasts is reported as itself and at once: a full or read-only disk, and a
// permission that a probe finds missing, too (rule 9).
func persist(e *env.Env, budget time.Duration, parent vfs.Dir, try func() error) error {
	deadline := e.Clock.Now().Add(budget)
	for delay := time.Millisecond; ; delay = min(2*delay, 250*time.Millisecond) {
		err := try()
		switch {
		case err == nil, settled(err), e.Clock.Now().After(deadline):
			return err
		case errors.Is(err, fs.ErrPermission) && forbidden(e, parent):
			return err
		}
		e.Clock.Sleep(context.Background(), delay)
	}
}

// settled tells whether trying again cannot change the answer.
func settled(err error) bool {
	var displaced *DisplacedError
	return errors.Is(err, ErrMoved) || errors.Is(err, ErrHeld) || errors.Is(err, ErrLost) ||
		errors.As(err, &displaced) || errors.Is(err, tomb.ErrFenced) || vfs.IsNotEmpty(err) ||
		vfs.IsNoSpace(err) || vfs.IsReadOnly(err)
}

// forbidden probes whether a rename in parent fails for whatever is renamed. When
// even that cannot be tried it says so for a lack of permission alone.
func forbidden(e *env.Env, parent vfs.Dir) bool {
	id, err := e.NewID()
	if err != nil {
		return false
	}
	name, other := probePrefix+string(id), probePrefix+"2-"+string(id)
	if err := parent.Mkdir(name, 0o700); err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	err = parent.Rename(name, parent, other, vfs.Plain)
	parent.Rmdir(name)
	parent.Rmdir(other)
	return errors.Is(err, fs.ErrPermission)
}

// probePrefix begins the name of an empty directory that a crash may leave.
const probePrefix = ".genlock-probe-"
