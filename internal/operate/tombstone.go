package operate

import (
	"context"
	"errors"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/protocol"
)

// HasTombstone tells whether the lock has a tombstone of the generation id.
func HasTombstone(ctx context.Context, lock string, format protocol.Format, id protocol.ID) (bool, error) {
	root, err := fence.Open(ctx, lock, format)
	if errors.Is(err, fence.ErrNoRoot) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer root.Close()
	g, err := seal.Open(root).Tombstone(id)
	if g != nil {
		g.Close()
	}
	return g != nil, err
}
