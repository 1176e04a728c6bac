package artifact

import (
	"slices"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Sweep renames away every staging of this artifact that another generation left
// beside it, and deletes it. Whoever has acquired the lock calls it before it
// looks at the artifact and before it builds: that is what fences a late builder
// on another file system (see makeBeside).
//
// nil means that no other generation can publish from beside the artifact. An
// error means that one may; ErrStageGone that we are not current any more. What
// was renamed away and cannot be deleted is no error: the next sweep tries again.
// A missing parent holds nothing.
//
// It reads the artifact's directory, whether or not the artifact shares its file
// system with the lock: another process may see the two mounted apart.
func (s *Site) Sweep() error {
	parent, err := s.FS.OpenParent(s.parent())
	if vfs.IsVanished(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	names, err := s.stagings(parent)
	if err != nil || len(names) == 0 {
		return err
	}
	// Asked after listing: if we are current, no successor had begun when the
	// names were listed, so all are of the past. However late a sweeper goes
	// on from here, it cannot take its successor's staging away.
	if err := s.StillCurrent(); err != nil {
		return gone(err)
	}
	for _, name := range names {
		if err := s.banish(parent, name); err != nil {
			return err
		}
	}
	return nil
}

// stagings lists the stagings beside the artifact that are not ours. Their type
// does not matter: nothing else may have such a name.
func (s *Site) stagings(parent vfs.Dir) ([]string, error) {
	names, err := parent.Names(0)
	names = slices.DeleteFunc(names, func(name string) bool {
		id, ok := protocol.ParseBesideName(name, s.base())
		return !ok || id == s.Generation
	})
	slices.Sort(names)
	return names, err
}

// banish renames name to one that nobody publishes from, then deletes it: only
// whoever's rename succeeded does (rule 8). An error means that the name is
// still there. What resists deletion is litter that the next sweep finds.
func (s *Site) banish(parent vfs.Dir, name string) error {
	id, err := s.newID()
	if err != nil {
		return err
	}
	fresh := protocol.BesideName(s.base(), id)
	err = parent.Rename(name, parent, fresh, vfs.Plain)
	if err == nil {
		_ = vfs.RemoveAll(parent, fresh, nil)
		return nil
	}
	if _, serr := parent.Lstat(name); vfs.IsVanished(serr) {
		return nil
	}
	return err
}
