package tomb

import (
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// misled is every way to retire wrongly, for the tests that must notice them. In
// what is shipped it is the constant false.
func misled(r *tree.Root, id protocol.ID) (done bool, err error) {
	switch {
	case mutant.On(mutant.RemovalByPath):
		return true, vfs.RemoveAll(r.Dir, protocol.CurrentName, nil)
	case mutant.On(mutant.UncheckedRelease), mutant.On(mutant.NoConfirmation),
		mutant.On(mutant.HandleConfirmation), mutant.On(mutant.IdentityByTime):
	default:
		return false, nil
	}
	retired, err := openRetired(r)
	if err != nil {
		return true, err
	}
	defer retired.Close()
	err = r.Dir.Rename(protocol.CurrentName, retired, string(id), vfs.Plain)
	switch {
	case vfs.IsNotEmpty(err):
		err = ErrFenced
	case vfs.IsVanished(err):
		err = ErrNotCurrent
	}
	return true, err
}
