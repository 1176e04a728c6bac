package artifact

import (
	"errors"
	"fmt"
	"io/fs"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

var (
	// ErrNoArtifact: the build ended well, but nothing is at the staging path.
	ErrNoArtifact = errors.New("nothing was built there")
	// ErrExists: there is an artifact already and replacing was not asked for.
	// Both are kept: the artifact, and what was staged.
	ErrExists = errors.New("there is an artifact already")
	// ErrStageGone: the staging disappeared with its generation, so the lock
	// was lost. Nothing was published.
	ErrStageGone = errors.New("the staging is gone, since its generation is no longer current")
)

// gone is ErrStageGone with what told us so.
func gone(cause error) error {
	if errors.Is(cause, ErrStageGone) {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrStageGone, cause)
}

func pathError(op, path string, err error) error {
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// settled tells whether trying again cannot change the outcome.
func settled(err error) bool {
	for _, e := range []error{nil, ErrNoArtifact, ErrExists, ErrStageGone, protocol.ErrUnsafePath} {
		if errors.Is(err, e) {
			return true
		}
	}
	return vfs.IsCrossDevice(err)
}
