package fence

import (
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// misled is every way to confirm a claim wrongly, for the tests that must notice
// them. In what is shipped it is the constant false.
func (f *Fence) misled(r *tree.Root, seen *tree.Generation) bool {
	switch {
	case mutant.On(mutant.NoConfirmation):
	case mutant.On(mutant.HandleConfirmation):
		if id, _, err := tree.ReadID(seen.Dir); err != nil || id != seen.ID {
			return false
		}
	case mutant.On(mutant.IdentityByTime):
		now, err := r.Dir.Lstat(protocol.CurrentName)
		if err != nil || !now.ModTime.Equal(seen.Info.ModTime) {
			return false
		}
	case mutant.On(mutant.IdentityByInode):
		seen.Close()
		now, err := r.Dir.OpenDir(protocol.CurrentName)
		if err != nil {
			return false
		}
		if info, err := now.Stat(); err != nil || info.ID() != seen.Info.ID() {
			now.Close()
			return false
		}
		seen.Dir = now
	default:
		return false
	}
	believed := *seen
	seen.Dir = keptOpen{seen.Dir} // the caller closes what it saw
	f.tokenBox = seal.Wrap(&tree.Fenced{Root: r, Generation: &believed, Claim: protocol.ID(f.party.Name)})
	return true
}

type keptOpen struct{ vfs.Dir }

func (keptOpen) Close() error { return nil }
