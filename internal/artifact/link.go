package artifact

import (
	"errors"
	"io/fs"
	"os"

	"genlock.dev/genlock/internal/vfs"
)

// linker is what copying a symbolic link needs beyond vfs, which knows none on
// purpose. Links are read and made by path: both paths are stagings, and gone
// when they are no longer ours.
type linker interface {
	Readlink(path string) (string, error)
	Symlink(target, path string) error
}

// linksOf returns what fsys itself offers, and package os for the file system of
// the operating system.
func linksOf(fsys vfs.FS) linker {
	if l, ok := fsys.(linker); ok {
		return l
	}
	if fsys == vfs.OS() {
		return osLinks{}
	}
	return noLinks{}
}

func isLink(info vfs.Info) bool { return info.Mode&fs.ModeSymlink != 0 }

func (c *copier) link(from, to place, name string) error {
	target, err := c.links.Readlink(from.join(name))
	if err != nil {
		return err
	}
	return c.links.Symlink(target, to.join(name))
}

type osLinks struct{}

func (osLinks) Readlink(path string) (string, error) { return os.Readlink(path) }
func (osLinks) Symlink(target, path string) error    { return os.Symlink(target, path) }

type noLinks struct{}

func (noLinks) Readlink(path string) (string, error) {
	return "", pathError("readlink", path, errors.ErrUnsupported)
}

func (noLinks) Symlink(_, path string) error {
	return pathError("symlink", path, errors.ErrUnsupported)
}
