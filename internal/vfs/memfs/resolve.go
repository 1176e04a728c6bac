package memfs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many links the kernel follows in one path.
const maxLinks = 40

// place is a name in a directory and what is there: node is nil when nothing
// is. dir is nil when the path ended in no name: "/", "." or "..".
type place struct {
	dir  *node
	name string
	node *node
}

// path is the path of the place, whether something is there or not.
func (at place) path() string { return path.Join(at.dir.path(), at.name) }

// existingDir is the directory at the place. A link in its place is ENOTDIR,
// which is what O_DIRECTORY with O_NOFOLLOW says.
func (at place) existingDir() (*node, error) {
	switch {
	case at.node == nil:
		return nil, syscall.ENOENT
	case !at.node.isDir():
		return nil, syscall.ENOTDIR
	}
	return at.node, nil
}

// walk resolves a path. Links are followed on the way, at the end only if
// asked to.
func (p *Process) walk(path string, follow bool) (place, error) {
	if p.killed {
		return place{}, ErrKilled
	}
	rest := strings.TrimRight(filepath.ToSlash(path), "/")
	if path == "" {
		return place{}, syscall.ENOENT
	}
	here, links := p.fs.root, 0
	for {
		name, tail, more := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		switch name {
		case "":
			return place{node: here}, nil
		case ".", "..":
			if name == ".." && here.parent != nil {
				here = here.parent
			}
			rest = tail
			continue
		}
		at, err := p.lookup(here, name)
		if err != nil {
			return place{}, err
		}
		link := at.node != nil && at.node.isLink()
		switch {
		case !more && !(link && follow):
			return at, nil
		case at.node == nil:
			return place{}, syscall.ENOENT
		case link:
			if links++; links > maxLinks {
				return place{}, syscall.ELOOP
			}
			if strings.HasPrefix(at.node.target, "/") {
				here = p.fs.root
			}
			rest = at.node.target
			if more {
				rest += "/" + tail
			}
		case !at.node.isDir():
			return place{}, syscall.ENOTDIR
		default:
			here, rest = at.node, tail
		}
	}
}

// lookup finds a single name in a directory that may be gone by now.
func (p *Process) lookup(dir *node, name string) (place, error) {
	if err := p.may(dir, toSearch); err != nil {
		return place{}, err
	}
	if len(name) > maxName {
		return place{}, syscall.ENAMETOOLONG
	}
	if dir.removed {
		return place{}, syscall.ENOENT
	}
	return place{dir: dir, name: name, node: dir.child(name)}, nil
}

// plainName refuses what is not a single path element. The operating system
// would walk it; vfs promises that nobody asks it to.
func plainName(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return syscall.EINVAL
	}
	return nil
}

func clean(path string) string { return filepath.Clean(path) }

func join(dir, name string) string { return filepath.Join(dir, name) }

func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

func linkError(oldpath, newpath string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: "rename", Old: oldpath, New: newpath, Err: err}
}
