// Package fence holds the token that may retire exactly one generation.
//
// Whoever wants to reclaim a generation first publishes a claim inside it, then
// looks the held generation up anew by path, and only when it is still the very
// same one is the claim confirmed (rule 3). A confirmed claim is a Fence. As
// long as it is open the generation's tombstone stays, so that a late rename
// of the fence's owner fails instead of retiring a successor (rule 2).
package fence

import (
	"context"

	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/protocol"
)

type rootBox = seal.Box[*tree.Root]

// Root is an open coordination root: what the packages of this module hand to
// each other. It keeps two descriptors until Close.
type Root struct{ rootBox }

// Open opens the coordination root of the lock at path, which must be absolute.
// It writes nothing. ErrNoRoot when there is none; *protocol.FormatError or
// *protocol.UnsafeError when something else stands in its place.
func Open(ctx context.Context, path string, format protocol.Format) (*Root, error) {
	r, err := tree.Open(ctx, path, format)
	if err != nil {
		return nil, err
	}
	return &Root{seal.Wrap(r)}, nil
}

// ErrNoRoot: the lock was never held, or its root was pruned.
var ErrNoRoot = tree.ErrNoRoot

// Close closes the handles. Fences made through the root must be withdrawn before.
func (r *Root) Close() { seal.Open(r).Close() }
