package tomb

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// InVain tells whether a rename from the root into retired fails for whatever is
// renamed, so that trying again is pointless (rule 9). It decides by moving a
// fresh empty directory between the same parents; when even that cannot be
// tried it says no.
func InVain(r *tree.Root, cause error) bool {
	if !errors.Is(cause, fs.ErrPermission) {
		return false
	}
	id, err := r.Env.NewID()
	if err != nil {
		return false
	}
	name := protocol.CandidateName(id)
	if err := r.Dir.Mkdir(name, r.DirMode()); err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	defer r.Dir.Rmdir(name)
	retired, err := openRetired(r)
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	defer retired.Close()
	err = r.Dir.Rename(name, retired, name, vfs.Plain)
	if err == nil {
		retired.Rmdir(name)
	}
	return errors.Is(err, fs.ErrPermission)
}
