package artifact

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Prepare makes the staging directory inside our generation and returns the
// absolute path at which the artifact is to be built. Nothing is there yet: what
// an earlier build of this tenure left is put away. ErrStageGone when our
// generation is no longer current; a builder that loses it later sees its path
// disappear.
func (s *Site) Prepare() (out string, err error) {
	err = vfs.Again(func() error { return s.GenerationDir.Mkdir(s.stageName(), s.dirMode()) })
	made := err == nil
	if vfs.IsVanished(err) {
		return "", gone(err)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	p, err := s.openStage()
	if err != nil {
		return "", err
	}
	defer p.dir.Close()
	if made {
		err = s.setMode(p.dir)
	} else {
		err = s.putAway(p, s.base())
	}
	if err != nil {
		return "", err
	}
	// No fence, only early news: the build would fail with less clear words.
	if !s.reachable(p) {
		return "", gone(pathError("stage", p.path, fs.ErrNotExist))
	}
	return p.join(s.base()), nil
}

// Discard deletes the staging with everything in it, published or not. No
// staging is no error. After an error parts of it are left, which go with the
// generation.
//
// A generation's directory must not be recycled for another generation unless
// this succeeded: with the directory, the old staging would become reachable
// through current again, and with it the late builder.
func (s *Site) Discard() error {
	fresh, err := s.freshName()
	if err != nil {
		return err
	}
	// Away from the path first: a child of the build that lives on must not
	// go on filling what is being deleted (rule 8).
	err = s.GenerationDir.Rename(s.stageName(), s.GenerationDir, fresh, vfs.Plain)
	if vfs.IsVanished(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return vfs.RemoveAll(s.GenerationDir, fresh, nil)
}

func (s *Site) openStage() (place, error) {
	p := place{path: s.stagePath()}
	err := vfs.Again(func() (err error) {
		p.dir, err = s.GenerationDir.OpenDir(s.stageName())
		return err
	})
	switch {
	case vfs.IsVanished(err):
		err = gone(err)
	case vfs.IsNotDir(err):
		if info, serr := s.GenerationDir.Lstat(s.stageName()); serr == nil {
			err = &protocol.UnsafeError{Path: p.path, Mode: info.Mode, Want: "a directory"}
		}
	}
	return p, err
}

// reachable tells whether the path of p leads to a staging, as it does until the
// generation is retired or the staging is swept. An error that says neither
// leaves it to the caller's own operation to fail.
func (s *Site) reachable(p place) bool {
	_, err := lstatAgain(s.FS, p.path)
	return !vfs.IsVanished(err)
}

// putAway deletes name in p, under another name: a staged artifact must not be
// published half deleted. What resists deletion goes with the generation.
func (s *Site) putAway(p place, name string) error {
	fresh, err := s.freshName()
	if err != nil {
		return err
	}
	err = p.dir.Rename(name, p.dir, fresh, vfs.Plain)
	if vfs.IsVanished(err) {
		return nil
	}
	if err == nil {
		_ = vfs.RemoveAll(p.dir, fresh, nil)
	}
	return err
}

func (s *Site) dirMode() fs.FileMode {
	if s.Mode == 0 {
		return 0o777
	}
	return s.Mode
}

// setMode gives a staging directory the mode that the umask may have narrowed.
func (s *Site) setMode(d vfs.Dir) error {
	if s.Mode == 0 {
		return nil
	}
	return d.Chmod(s.Mode)
}
