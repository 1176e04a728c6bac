package genlock

import (
	"context"
	"errors"
	"fmt"

	"genlock.dev/genlock/internal/artifact"
)

// ready tells whether a good artifact is there.
func (j *job) ready(ctx context.Context) (bool, error) {
	there, err := artifact.Exists(j.env.FS, j.want.Path)
	if err != nil || !there || j.want.Verify == nil {
		return there, err
	}
	if err := j.want.Verify(ctx, j.want.Path); err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		j.artifact.Replace, j.bad = true, err
		return false, nil
	}
	return true, nil
}

// verified asks about what was built, before it can be seen. That nothing is there is
// for Publish to tell.
func (j *job) verified(ctx context.Context, lease *Lease, out string) error {
	if j.want.Verify == nil {
		return nil
	}
	if there, err := artifact.Exists(j.env.FS, out); err != nil || !there {
		return nil
	}
	err := j.want.Verify(ctx, out)
	if err == nil {
		return nil
	}
	if errors.Is(lease.Check(), ErrLost) {
		return lease.artifactError(artifact.ErrStageGone) // there was nothing left to ask about
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err = unverified(err)
	lease.Failed(-1, firstLine(err))
	return fmt.Errorf("lock %s: %w", j.lock.given, err)
}

func unverified(why error) error { return fmt.Errorf("%w: %w", ErrUnverified, why) }
