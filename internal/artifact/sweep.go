package artifact

import (
	"path/filepath"
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
// error means that one may. What was renamed away and cannot be deleted is no
// error: the next sweep tries again. A missing parent holds nothing.
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
	return s.sweep(parent, names)
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

// sweep moves them into a staging of our own, by its path. A sweeper that was
// stopped, lost its lock and goes on finds that path swept by its successor, so
// it cannot take the successor's staging away, nor anything made later: names
// were listed before we were seen to be current, so all are of the past.
func (s *Site) sweep(parent vfs.Dir, names []string) error {
	bin, err := s.makeBeside(parent)
	if err != nil && settled(err) {
		return err
	}
	if err == nil {
		defer s.removeBeside(parent, bin)
	}
	binned := err == nil
	for _, name := range names {
		if err := s.sweepOne(parent, bin, binned, name); err != nil {
			return err
		}
	}
	return nil
}

// sweepOne falls back to renaming in place where nothing can be moved into bin:
// no space to make it, or a directory of another user, which may be renamed but
// not moved. Then only a look, and no fence, protects a successor from losing
// its turn (never its artifact) to a sweeper stopped right here.
func (s *Site) sweepOne(parent vfs.Dir, bin place, binned bool, name string) error {
	if binned {
		err := s.FS.Rename(filepath.Join(s.parent(), name), bin.join(name), vfs.Plain)
		if err == nil {
			return nil
		}
		if !s.reachable(bin) {
			return gone(err)
		}
		if _, serr := parent.Lstat(name); vfs.IsVanished(serr) {
			return nil
		}
	}
	if err := s.StillCurrent(); err != nil {
		return gone(err)
	}
	return s.banish(parent, name)
}
