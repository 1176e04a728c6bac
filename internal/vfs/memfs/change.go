package memfs

import (
	"fmt"
	"maps"
	"slices"
)

// ChangeKind is what a Change did.
type ChangeKind int

const (
	// Added gave a new file, directory or link its name.
	Added ChangeKind = iota
	// Removed took a name away.
	Removed
	// Renamed moved a name, and replaced what had the new one.
	Renamed
	// Exchanged swapped two names.
	Exchanged
	// Wrote put bytes into a file.
	Wrote
)

// Change is something that happened and is not durable yet. Path and To are the
// paths of that moment.
type Change struct {
	Kind ChangeKind
	Path string
	To   string

	// Names: node was or came at name in dir; toNode, if any, was at toName
	// in toDir.
	dir, toDir   *node
	name, toName string
	node, toNode *node
	// Data: bytes at an offset, and whether the file ends there.
	offset int
	data   []byte
	ends   bool
}

// String is one line without the end of it, made for diffs.
func (c Change) String() string {
	switch c.Kind {
	case Added:
		return "add " + show(c.Path) + typeSuffix(c.node)
	case Removed:
		return "remove " + show(c.Path) + typeSuffix(c.node)
	case Renamed:
		return "rename " + show(c.Path) + " to " + show(c.To)
	case Exchanged:
		return "exchange " + show(c.Path) + " and " + show(c.To)
	}
	return fmt.Sprintf("write %s %d bytes at %d", show(c.Path), len(c.data), c.offset)
}

func typeSuffix(n *node) string {
	switch {
	case n.isDir():
		return "/"
	case n.isLink():
		return " -> " + show(n.target)
	}
	return ""
}

// image is the part of a node that a power cut can bring back.
type image struct {
	names map[string]slot
	data  []byte
}

// slot is a name in an image: there a node can have another name than now.
type slot struct {
	name string
	node *node
}

// durable is what would be here after a power cut that lost every pending
// change.
func (n *node) durable() image {
	if n.settled != nil {
		return *n.settled
	}
	return n.now()
}

func (n *node) now() image {
	if !n.isDir() {
		return image{data: n.data}
	}
	names := make(map[string]slot, len(n.names))
	for key, child := range n.names {
		names[key] = slot{child.name, child}
	}
	return image{names: names}
}

// keepSettled takes the picture before the first pending change.
func (n *node) keepSettled() {
	if n.settled == nil {
		img := n.now()
		img.data = slices.Clone(img.data)
		n.settled = &img
	}
}

// record puts c into the log. It is called before c happens.
func (f *FS) record(c Change) {
	if f.volumes[0].opt.Durable {
		return
	}
	if c.Kind == Wrote {
		c.node.keepSettled()
	} else {
		c.dir.keepSettled()
	}
	if c.toDir != nil {
		c.toDir.keepSettled()
	}
	f.log = append(f.log, c)
}

// settleData forgets that the data of n was ever pending.
func (f *FS) settleData(n *node) {
	if n.isDir() {
		return // syncing a directory is not modelled: its names stay pending
	}
	n.settled = nil
	f.log = slices.DeleteFunc(f.log, func(c Change) bool { return c.Kind == Wrote && c.node == n })
}

func (img image) clone() image {
	return image{names: maps.Clone(img.names), data: slices.Clone(img.data)}
}
