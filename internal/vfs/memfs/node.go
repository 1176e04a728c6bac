package memfs

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

const (
	modeDir  = fs.ModeDir
	modeLink = fs.ModeSymlink
)

// node is one inode. It has at most one name, since there are no hard links.
type node struct {
	vol      *volume
	ino      uint64
	mode     fs.FileMode
	uid, gid uint32
	mtime    time.Time

	data   []byte           // of a regular file
	target string           // of a link
	names  map[string]*node // of a directory, by volume.key

	parent  *node // nil for the root and for what was removed
	name    string
	removed bool

	opens int            // descriptions and directory handles
	locks []*description // those with a flock, oldest first

	mountpoint bool // root of another volume
	lower      bool // see FS.MarkLower

	// settled is what a power cut would bring back: nil as long as that is
	// what is here now.
	settled *image
}

func (n *node) isDir() bool     { return n.mode.IsDir() }
func (n *node) isLink() bool    { return n.mode&modeLink != 0 }
func (n *node) isRegular() bool { return n.mode.IsRegular() }

// contains tells whether other is n or lies somewhere below it.
func (n *node) contains(other *node) bool {
	for ; other != nil; other = other.parent {
		if other == n {
			return true
		}
	}
	return false
}

// path is where n is now, for messages and dumps.
func (n *node) path() string {
	switch {
	case n.removed:
		return "(removed " + n.name + ")"
	case n.parent == nil:
		return "/"
	}
	return path.Join(n.parent.path(), n.name)
}

// sorted lists the children by name.
func (n *node) sorted() []*node {
	list := make([]*node, 0, len(n.names))
	for _, child := range n.names {
		list = append(list, child)
	}
	slices.SortFunc(list, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	return list
}

func (n *node) child(name string) *node { return n.names[n.vol.key(name)] }

// attach gives n its name; the caller has made sure that it is free.
func (n *node) attach(dir *node, name string) {
	dir.names[dir.vol.key(name)] = n
	n.parent, n.name = dir, name
	dir.stamp()
}

// detach takes n's name away. It stays an inode without a name.
func (n *node) detach() {
	delete(n.parent.names, n.parent.vol.key(n.name))
	n.parent.stamp()
	n.parent = nil
}

// unlink removes n for good; what is open stays until it is closed.
func (n *node) unlink() {
	n.detach()
	n.removed = true
	n.freeIfUnused()
}

func (n *node) freeIfUnused() {
	if n.removed && n.opens == 0 {
		n.vol.free(n)
	}
}

func (n *node) stamp() { n.mtime = n.vol.now() }

func (n *node) info() vfs.Info {
	return vfs.Info{
		Dev: n.vol.dev, Ino: n.ino, Mode: n.mode, Size: n.size(), Nlink: n.links(),
		UID: n.uid, GID: n.gid, ModTime: n.mtime,
	}
}

func (n *node) size() int64 {
	if n.isLink() {
		return int64(len(n.target))
	}
	return int64(len(n.data))
}

func (n *node) links() uint64 {
	switch {
	case n.removed:
		return 0
	case !n.isDir():
		return 1
	}
	links := uint64(2)
	for _, child := range n.names {
		if child.isDir() {
			links++
		}
	}
	return links
}
