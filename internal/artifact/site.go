package artifact

import (
	"io/fs"
	"path/filepath"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Site is where one tenure builds one artifact. Its methods are not safe for
// concurrent use. A lease may have several sites, one for each artifact, as
// long as the artifacts' base names differ.
type Site struct {
	FS vfs.FS
	// Path is the absolute path of the artifact. See CheckPath.
	Path string
	// Current is the absolute path of the lock's current generation. It must
	// be the path, never the place where the generation really lies: that
	// the path changes hands is the fence.
	Current string
	// Generation is ours, and GenerationDir the handle of its directory.
	Generation    protocol.ID
	GenerationDir vfs.Dir
	// Replace allows Publish to replace an artifact.
	Replace bool
	// Fsync makes what is published survive a power cut whole: after one, the
	// path has the whole artifact, or what was there before.
	Fsync bool
	// Mode is the mode of staging directories, umask notwithstanding: what the
	// root's mode allows (rule 13). Zero leaves it to the umask.
	Mode fs.FileMode
	// StillCurrent returns an error when our generation is not current any
	// more, or when that cannot be told. It must look anew, by path.
	StillCurrent func() error
	// NewID makes fresh names. Nil means protocol.NewID.
	NewID func() (protocol.ID, error)
}

// place is a staging directory: the path by which others can take it away from
// us, and a handle for what is nobody else's business.
type place struct {
	path string
	dir  vfs.Dir
}

func (p place) join(name string) string { return filepath.Join(p.path, name) }

// Exists tells whether a regular file or a real directory is at path. A link or
// another type is a *protocol.UnsafeError; nothing behind it was looked at. A
// missing parent is a missing artifact. The answer is old when it is read.
func Exists(fsys vfs.FS, path string) (bool, error) {
	_, found, err := look(fsys, path)
	return found, err
}

func look(fsys vfs.FS, path string) (vfs.Info, bool, error) {
	info, err := lstatAgain(fsys, path)
	if vfs.IsVanished(err) {
		return vfs.Info{}, false, nil
	}
	if err == nil {
		err = checkType(path, info)
	}
	return info, err == nil, err
}

// lstatAgain is for looks from whose failure something follows: below a directory
// by name, or in a file system by path.
func lstatAgain(in interface {
	Lstat(string) (vfs.Info, error)
}, name string) (info vfs.Info, err error) {
	err = vfs.Again(func() (err error) {
		info, err = in.Lstat(name)
		return err
	})
	return info, err
}

// checkType refuses what cannot be an artifact.
func checkType(path string, info vfs.Info) error {
	if info.IsRegular() || info.IsDir() {
		return nil
	}
	return &protocol.UnsafeError{Path: path, Mode: info.Mode, Want: "a file or a directory"}
}

func (s *Site) base() string      { return filepath.Base(s.Path) }
func (s *Site) parent() string    { return filepath.Dir(s.Path) }
func (s *Site) stageName() string { return protocol.StageName(s.Generation) }
func (s *Site) stagePath() string { return filepath.Join(s.Current, s.stageName()) }

// freshName is a name in a staging that nobody builds at or publishes from.
func (s *Site) freshName() (string, error) {
	id, err := s.newID()
	return protocol.StageName(id), err
}

func (s *Site) newID() (protocol.ID, error) {
	if s.NewID != nil {
		return s.NewID()
	}
	return protocol.NewID()
}
