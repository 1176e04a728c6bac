package oldprograms

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

// The old programs know nothing but paths. in opens the parent, which is no step
// of theirs, and does one.
func (s *Self) in(path string, do func(d vfs.Dir, name string) error) error {
	d, err := s.FS.OpenParent(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return do(d, filepath.Base(path))
}

func (s *Self) mkdir(path string) error {
	return s.in(path, func(d vfs.Dir, name string) error { return d.Mkdir(name, 0o777) })
}

func (s *Self) rmdir(path string) error {
	return s.in(path, func(d vfs.Dir, name string) error { return d.Rmdir(name) })
}

func (s *Self) unlink(path string) error {
	return s.in(path, func(d vfs.Dir, name string) error { return d.Remove(name) })
}

func (s *Self) read(path string) (data []byte, err error) {
	err = s.in(path, func(d vfs.Dir, name string) error {
		data, err = vfs.ReadFile(d, name, 1<<20)
		return err
	})
	return data, err
}

// write is writeFileSync: it makes the file, or empties it, and then writes.
func (s *Self) write(path string, data []byte) error {
	return s.in(path, func(d vfs.Dir, name string) error {
		const tries = 3 // node makes or empties it in one call
		var err error
		for range tries {
			if err = vfs.WriteFile(d, name, data, 0o666); !errors.Is(err, fs.ErrExist) {
				return err
			}
			var f vfs.File
			if f, err = d.Open(name, vfs.Truncate, 0); err == nil {
				_, err = f.Write(data)
				f.Close()
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return err
	})
}

func (s *Self) rename(from, to string) error { return s.FS.Rename(from, to, vfs.Plain) }

func (s *Self) stat(path string) (vfs.Info, error) { return s.FS.Lstat(path) }

func (s *Self) touch(path string, t time.Time) error {
	d, err := s.FS.OpenDir(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return vfs.Touch(d, t)
}

func (s *Self) list(path string) (names []string, err error) {
	d, err := s.FS.OpenDir(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Names(0)
}

// rmAll is node's rmSync with recursive and force: rmdir, and when that fails the
// children, and rmdir once more, whose failure is thrown.
func (s *Self) rmAll(path string) error {
	info, err := s.stat(path)
	if err != nil {
		return missingIsFine(err)
	}
	if !info.IsDir() {
		return missingIsFine(s.unlink(path))
	}
	err = s.rmdir(path)
	if err == nil || missing(err) {
		return nil
	}
	if !occupied(err) {
		return err
	}
	names, err := s.list(path)
	if err != nil {
		return missingIsFine(err)
	}
	for _, name := range names {
		if err := s.rmAll(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return missingIsFine(s.rmdir(path))
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func occupied(err error) bool {
	return errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY)
}

func missingIsFine(err error) error {
	if missing(err) {
		return nil
	}
	return err
}
