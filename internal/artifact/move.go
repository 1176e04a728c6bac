package artifact

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/vfs"
)

// how decides by which rename the built thing gets to the artifact's path. The
// answer may be old at once; each rename fails when it no longer fits, except
// that Plain replaces whatever file is there, a link itself included.
func (s *Site) how(b *built) (vfs.RenameFlag, error) {
	old, found, err := look(s.FS, s.Path)
	switch {
	case err != nil:
		return 0, err
	case !found:
		return vfs.NoReplace, nil
	case !s.Replace:
		return 0, pathError("publish", s.Path, ErrExists)
	case old.IsRegular() && b.info.IsRegular():
		return vfs.Plain, nil
	}
	return vfs.Exchange, nil
}

// move renames what is staged in p to the artifact's path.
//
// Where the file system cannot rename without replacing, how has just seen that
// nothing is there, and a plain rename follows. No other holder can come in
// between: if our generation was retired meanwhile, the path of p is gone. A
// program that writes the artifact without the lock can, and loses its file; a
// directory is not replaced unless it is empty.
func (s *Site) move(p place, how vfs.RenameFlag) error {
	if done, err := s.misled(p); done {
		return err
	}
	err := s.FS.Rename(p.join(s.base()), s.Path, how)
	switch {
	case how == vfs.Plain || !vfs.IsUnsupported(err):
		return err
	case how == vfs.Exchange:
		return s.moveAside(p)
	}
	return s.FS.Rename(p.join(s.base()), s.Path, vfs.Plain)
}

// moveAside replaces where the file system cannot exchange two names: the old
// artifact goes into p, then the new one comes out. Between the two renames
// readers find nothing, and a crash there leaves nothing: the next one builds
// again. Both renames go by the path of p, so that a late holder can do neither
// to its successor's artifact.
func (s *Site) moveAside(p place) error {
	fresh, err := s.freshName()
	if err != nil {
		return err
	}
	if err := s.FS.Rename(s.Path, p.join(fresh), vfs.Plain); err != nil {
		return err
	}
	err = s.FS.Rename(p.join(s.base()), s.Path, vfs.Plain)
	if err != nil {
		back := s.FS.Rename(p.join(fresh), s.Path, vfs.Plain)
		if vfs.IsVanished(back) {
			back = nil // retired: what is at the path is the successor's business
		}
		return errors.Join(err, back)
	}
	_ = vfs.RemoveAll(p.dir, fresh, nil)
	return nil
}

// moveUnlocked is move for directories that may not be written to, as builds
// leave them. Moving a directory to another parent changes its "..", for which
// the system wants write permission on it. They get it for the time of the
// rename. A cause other than that is returned as it was. A holder stopped here
// and retired can so touch the owner's write bit of its successor's directory,
// and nothing else of it.
func (s *Site) moveUnlocked(p place, b *built, how vfs.RenameFlag, cause error) error {
	undo, changed := unlock(b.dir)
	defer undo()
	if how == vfs.Exchange {
		if old, err := s.FS.OpenDir(s.Path); err == nil {
			defer old.Close()
			undoOld, changedOld := unlock(old)
			defer undoOld()
			changed = changed || changedOld
		}
	}
	if !changed {
		return cause
	}
	return s.move(p, how)
}

// unlock lets the owner write to d. It tells whether that was a change, which
// undo takes back.
func unlock(d vfs.Dir) (undo func(), changed bool) {
	undo = func() {}
	if d == nil {
		return undo, false
	}
	const write fs.FileMode = 0o200
	info, err := d.Stat()
	if err != nil || info.Mode&write != 0 || d.Chmod(info.Mode|write) != nil {
		return undo, false
	}
	return func() { _ = d.Chmod(info.Mode) }, true
}
