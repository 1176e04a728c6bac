package artifact

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"genlock.dev/genlock/internal/vfs"
)

// tries is how often a rename is tried that failed for a reason which may have
// been a lost race. What persists is reported as itself (rule 9).
const tries = 4

// Publish moves what was built at the path that Prepare returned to the
// artifact's path, making missing parents. A reader finds what was there before
// or the whole new artifact, and a running executable keeps its file.
//
// When it returns nil the artifact is in place. On any error nothing of it is,
// and what was at the path before still is (but see moveAside). Errors:
// ErrNoArtifact, ErrExists, ErrStageGone, *protocol.UnsafeError when a link or an
// odd type is at either end, the context's cause, and what the file system said.
//
// Publishing is decided by one rename; ctx is looked at before it, never after.
func (s *Site) Publish(ctx context.Context) error {
	p, err := s.openStage()
	if err != nil {
		return err
	}
	defer p.dir.Close()
	err = s.publishFrom(ctx, p)
	if vfs.IsCrossDevice(err) {
		return s.publishBeside(ctx, p)
	}
	return err
}

// publishFrom publishes what is staged in p, which lies on the same file system
// as the artifact or fails with EXDEV.
func (s *Site) publishFrom(ctx context.Context, p place) error {
	b, err := s.openBuilt(p)
	if err != nil {
		return err
	}
	defer b.close()
	if s.Fsync {
		if err := b.sync(); err != nil {
			return s.orGone(p, err)
		}
	}
	for try := 1; ; try++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := s.publishOnce(p, b)
		if try == tries || settled(err) {
			return err
		}
	}
}

func (s *Site) publishOnce(p place, b *built) error {
	how, err := s.how(b)
	if err != nil {
		return err
	}
	err = s.move(p, how)
	if errors.Is(err, fs.ErrPermission) {
		err = s.moveUnlocked(p, b, how, err)
	}
	if err != nil && !s.happened(p, b) {
		return s.why(p, err)
	}
	if how == vfs.Exchange {
		_ = s.putAway(p, s.base()) // what was replaced
	}
	return nil
}

// happened tells whether a rename that reported failure took place all the same,
// as network file systems have it (rule 10). Trying again would then report a
// loss, or exchange the old one back.
func (s *Site) happened(p place, b *built) bool {
	if !b.open() {
		return false // its inode may be another file's by now
	}
	left, err := p.dir.Lstat(s.base())
	if err == nil && left.ID() == b.info.ID() || err != nil && !vfs.IsVanished(err) {
		return false
	}
	there, err := s.FS.Lstat(s.Path)
	return err == nil && there.ID() == b.info.ID()
}

// why finds the true reason of a failed rename. ENOENT has three: the staging,
// the built thing, the artifact's parent.
func (s *Site) why(p place, err error) error {
	if !vfs.IsVanished(err) {
		return err
	}
	if !s.reachable(p) {
		return gone(err)
	}
	if _, serr := lstatAgain(p.dir, s.base()); vfs.IsVanished(serr) {
		return pathError("publish", p.join(s.base()), ErrNoArtifact)
	}
	parent, perr := makeParents(s.FS, s.parent())
	if perr != nil {
		return perr
	}
	parent.Close()
	return err
}

// orGone is ErrStageGone if p has disappeared, which is then why something else
// failed, and err otherwise.
func (s *Site) orGone(p place, err error) error {
	if err != nil && !s.reachable(p) {
		return gone(err)
	}
	return err
}

// makeParents opens the directory at path, making it and what is missing above
// it as mkdir -p does. Links on the way are the caller's choice and followed.
func makeParents(fsys vfs.FS, path string) (vfs.Dir, error) {
	d, err := fsys.OpenParent(path)
	up := filepath.Dir(path)
	if !vfs.IsVanished(err) || up == path {
		return d, err
	}
	parent, err := makeParents(fsys, up)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	err = parent.Mkdir(filepath.Base(path), 0o777)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return fsys.OpenParent(path)
}
