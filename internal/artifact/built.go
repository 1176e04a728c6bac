package artifact

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/vfs"
)

// built is the thing to publish. It is held open so that its inode number stays
// its own.
type built struct {
	path string
	info vfs.Info
	dir  vfs.Dir  // of a directory
	file vfs.File // of a file
	err  error    // why neither could be opened
}

// openBuilt looks through the handle, so that a retirement in between cannot be
// mistaken for a build that made nothing.
func (s *Site) openBuilt(p place) (*built, error) {
	b := &built{path: p.join(s.base())}
	info, err := lstatAgain(p.dir, s.base())
	if vfs.IsVanished(err) {
		if !s.reachable(p) {
			return nil, gone(err)
		}
		return nil, pathError("publish", b.path, ErrNoArtifact)
	}
	if err == nil {
		err = checkType(b.path, info)
	}
	if err != nil {
		return nil, err
	}
	b.info = info
	if info.IsDir() {
		b.dir, b.err = p.dir.OpenDir(s.base())
	} else {
		b.file, b.err = p.dir.Open(s.base(), vfs.Read, 0)
	}
	// What may not be read can be renamed all the same.
	if b.err != nil && !errors.Is(b.err, fs.ErrPermission) {
		return nil, s.orGone(p, b.err)
	}
	return b, nil
}

func (b *built) open() bool { return b.err == nil }

func (b *built) close() {
	if b.dir != nil {
		b.dir.Close()
	}
	if b.file != nil {
		b.file.Close()
	}
}

// sync writes the built thing to disk. Directories are synced where the system
// can do it.
func (b *built) sync() error {
	switch {
	case b.err != nil:
		return b.err
	case b.file != nil:
		return b.file.Sync()
	}
	return syncTree(b.dir)
}

func syncTree(d vfs.Dir) error {
	names, err := d.Names(0)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := syncEntry(d, name); err != nil {
			return err
		}
	}
	if f, err := d.Open(".", vfs.Read, 0); err == nil {
		_ = f.Sync()
		f.Close()
	}
	return nil
}

func syncEntry(d vfs.Dir, name string) error {
	info, err := d.Lstat(name)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		sub, err := d.OpenDir(name)
		if err != nil {
			return err
		}
		defer sub.Close()
		return syncTree(sub)
	case info.IsRegular():
		f, err := d.Open(name, vfs.Read, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Sync()
	}
	return nil
}
