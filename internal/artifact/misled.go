package artifact

import (
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/vfs"
)

// misled publishes by a look and then a rename through a handle, for the tests that
// must notice it. In what is shipped it is the constant false.
func (s *Site) misled(p place) (done bool, err error) {
	if !mutant.On(mutant.CheckThenRename) {
		return false, nil
	}
	if err := s.StillCurrent(); err != nil {
		return true, gone(err)
	}
	parent, err := makeParents(s.FS, s.parent())
	if err != nil {
		return true, err
	}
	defer parent.Close()
	return true, p.dir.Rename(s.base(), parent, s.base(), vfs.Plain)
}
