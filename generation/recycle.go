package generation

import (
	"genlock.dev/genlock/internal/discard"
	"genlock.dev/genlock/internal/prepare"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// touch says that from now on others than Publish and Release may have put something
// into the directory, or have its witness.
func (t *Tenure) touch() { seal.Open(t).Touched.Store(true) }

// recycle leaves the retired directory to the next turn through this root, where one
// is likely, instead of deleting it. It moves away from its tombstone as it does to be
// deleted; that nobody has a claim in it was seen before. Its witness stays locked,
// so that nobody takes it for litter. It reports whether it did.
func (t *Tenure) recycle(token *tree.Fenced, retired vfs.Dir) bool {
	r, g := token.Root, token.Generation
	if retired == nil || token.Touched.Load() || !recyclable(r, g) {
		return false
	}
	fresh, err := discard.Aside(r, retired, string(g.ID))
	if err != nil {
		return false
	}
	r.Env.Leases.Remove(g.ID)
	t.party.Name = fresh
	r.Spare, t.party = t.party, &prepare.Party{}
	return true
}

// recyclable: only after a turn that found the root open, so that who takes a lock once
// leaves nothing behind. Programs of other formats look at directories in their own
// way. Without a locked witness it would pass for litter.
func recyclable(r *tree.Root, g *tree.Generation) bool {
	return r.Kept && r.Spare == nil && !r.Format.Foreign() && r.Keepable() &&
		g.Record.Process.Witness == protocol.WitnessFlock
}
