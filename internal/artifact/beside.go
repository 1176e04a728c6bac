package artifact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// publishBeside publishes across file systems: what is staged in from is copied
// next to the artifact and renamed from there.
func (s *Site) publishBeside(ctx context.Context, from place) error {
	if err := s.checkBeforeCopy(from); err != nil {
		return err
	}
	parent, err := makeParents(s.FS, s.parent())
	if err != nil {
		return err
	}
	defer parent.Close()
	to, err := s.makeBeside(parent)
	if err != nil {
		return err
	}
	defer s.removeBeside(parent, to)
	c := copier{ctx: ctx, links: linksOf(s.FS)}
	if err := c.entry(from, to, s.base()); err != nil {
		return s.orGone(to, s.orGone(from, err))
	}
	// The sweep is the fence, but a successor may not have come to it yet.
	if err := s.StillCurrent(); err != nil {
		return gone(err)
	}
	err = s.publishFrom(ctx, to)
	if vfs.IsCrossDevice(err) {
		return fmt.Errorf("what is at the artifact's path cannot be moved, as if it came from a lower layer of an overlay; "+
			"delete it to have it built anew: %w", err)
	}
	return err
}

// checkBeforeCopy finds early what would make the copy futile.
func (s *Site) checkBeforeCopy(from place) error {
	b, err := s.openBuilt(from)
	if err != nil {
		return err
	}
	defer b.close()
	_, err = s.how(b)
	return err
}

// makeBeside makes <artifact>.genlock-<generation>/, where others can see and
// sweep it, and only then asks whether our generation is still current.
//
// The successor does the reverse: it becomes current, then lists and renames away
// every staging that is not its own, then looks at the artifact. So of our two
// steps and its two, either our directory is there when it lists, or our
// generation is no longer current when we ask. Stopped at any line:
//
//	             <- it sees no directory; we make one, ask, are told, remove it
//	mkdir
//	             <- it sees the directory or not; we ask and are told
//	still current?
//	             <- if it was, every successor's sweep is yet to come and finds
//	                the directory: our path leads nowhere afterwards
//	copy, through the handle
//	             <- swept: we copy into what is being deleted, and harm nobody
//	rename by path
//	             <- either before the sweep, and the successor finds the
//	                artifact when it looks, or after it: ENOENT
//
// Asking first and making the directory second would let a holder that was
// stopped in between make one that no sweep ever sees, and publish from it over
// its successor's artifact.
//
// It relies on a listing showing every entry made before it began: local file
// systems promise that, caches of network ones may be behind.
func (s *Site) makeBeside(parent vfs.Dir) (place, error) {
	name := protocol.BesideName(s.base(), s.Generation)
	p := place{path: filepath.Join(s.parent(), name)}
	err := parent.Mkdir(name, s.dirMode())
	if errors.Is(err, fs.ErrExist) {
		// An earlier try of this very tenure could not remove it.
		if err = s.banish(parent, name); err == nil {
			err = parent.Mkdir(name, s.dirMode())
		}
	}
	if errors.Is(err, syscall.ENAMETOOLONG) {
		return p, fmt.Errorf("the artifact lies on another file system than its lock and is staged beside itself, "+
			"for which its name of %d bytes is too long: %w", len(s.base()), err)
	}
	if err != nil {
		return p, err
	}
	p.dir, err = parent.OpenDir(name)
	if err == nil {
		err = s.setMode(p.dir)
	}
	if vfs.IsVanished(err) {
		err = gone(err) // swept already
	}
	if err == nil {
		if err = s.StillCurrent(); err == nil {
			return p, nil
		}
		err = gone(err)
	}
	s.removeBeside(parent, p)
	return p, err
}

// removeBeside deletes our own staging beside the artifact. What it cannot
// delete, the next sweep tries again.
func (s *Site) removeBeside(parent vfs.Dir, p place) {
	if p.dir != nil {
		p.dir.Close()
	}
	name := filepath.Base(p.path)
	if err := parent.Rmdir(name); err != nil && !vfs.IsVanished(err) {
		_ = s.banish(parent, name)
	}
}
