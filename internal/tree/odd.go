package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// UnsafeDir turns the failure to open the directory name below d into the error
// that tells people why: what stands there instead (rule 11), or whose it is
// (rule 13).
func UnsafeDir(d vfs.Dir, name string, err error) error {
	return odd(d, name, err, "a directory", vfs.Info.IsDir)
}

func unsafeFile(d vfs.Dir, name string, err error) error {
	return odd(d, name, err, "a regular file", vfs.Info.IsRegular)
}

func odd(d vfs.Dir, name string, err error, want string, is func(vfs.Info) bool) error {
	path := filepath.Join(d.Path(), name)
	info, serr := d.Lstat(name)
	switch {
	case serr != nil:
		return err
	case !is(info):
		return &protocol.UnsafeError{Path: path, Mode: info.Mode, Want: want}
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; it belongs to uid %d", err, info.UID)
	}
	return err
}
