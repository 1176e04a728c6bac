package explore

import (
	"slices"
	"strings"

	"genlock.dev/genlock/protocol"
)

// nodeID is the identity of a file. It is made of who made the file and how many
// that process had made, so that it is the same in every order of steps. It is
// also the inode number that the code under test sees.
type nodeID uint32

// disk is what the explorer knows of the model file system: which file has which
// name, what is in it, who locks it. The file system does the work; disk follows
// it, to name files in an order-independent way, to tell which operations depend
// on each other, and to have a hash of the state at hand after every step.
type disk struct {
	roles *roles
	nodes map[nodeID]*node
	root  *node
	// content is the hash of everything that survives when all processes die,
	// locks of what does not.
	content, locks uint64
}

type node struct {
	id     nodeID
	role   role
	isDir  bool
	maker  int
	mode   uint32
	data   []byte
	names  map[string]*node
	parent *node
	name   string
	gone   bool
	born   int64
	locks  []flock
	// Where races keeps what happened to it and to the names in it.
	slots   [kinds]int32
	entries map[string]int32
	// displaced: ours has moved it by mistake, perhaps for a moment.
	displaced bool
	// overwritten: the record of another old program than its maker is in it.
	overwritten bool
	// stripped: an old program deleted or emptied the record in it.
	stripped bool
	// of is the generation that a directory holds, once its file says so.
	of protocol.ID
}

// flock is one lock on a file: whose, and whether exclusive.
type flock struct {
	proc      int
	exclusive bool
}

func newDisk(r *roles) *disk {
	d := &disk{roles: r, nodes: map[nodeID]*node{}}
	d.root = &node{id: 1, isDir: true, mode: 0o755, names: map[string]*node{}}
	d.nodes[1] = d.root
	return d
}

// add makes a node without a name.
func (d *disk) add(id nodeID, r role, isDir bool, maker int, born int64) *node {
	n := &node{id: id, role: r, isDir: isDir, maker: maker, born: born}
	if isDir {
		n.names = map[string]*node{}
	}
	d.nodes[id] = n
	return n
}

func entryHash(dir *node, name string, n *node) uint64 {
	return mix(mixString(uint64(dir.id)+1<<40, name), uint64(n.id))
}

func (d *disk) attach(dir *node, name string, n *node) {
	dir.names[name] = n
	n.parent, n.name = dir, name
	d.content += entryHash(dir, name, n)
}

func (d *disk) detach(n *node) {
	d.content -= entryHash(n.parent, n.name, n)
	delete(n.parent.names, n.name)
	n.parent = nil
}

// unlink takes n away for good. What is in it matters no more: whoever has it open
// is in the middle of a call, and remembers.
func (d *disk) unlink(n *node) {
	d.detach(n)
	d.content -= n.contentHash()
	n.gone = true
}

func (n *node) contentHash() uint64 {
	return mix(mix(uint64(n.id)+1<<41, uint64(n.mode)), mixString(uint64(n.born), string(n.data)))
}

// change runs f, which changes mode or data of n.
func (d *disk) change(n *node, f func()) {
	if n.gone {
		f()
		return
	}
	d.content -= n.contentHash()
	f()
	d.content += n.contentHash()
}

func (d *disk) lock(n *node, l flock) {
	n.locks = append(n.locks, l)
	d.locks += lockHash(n, l)
}

// unlock drops one lock of the kind of l.
func (d *disk) unlock(n *node, l flock) {
	for i, other := range n.locks {
		if other == l {
			n.locks = append(n.locks[:i:i], n.locks[i+1:]...)
			d.locks -= lockHash(n, l)
			return
		}
	}
}

func lockHash(n *node, l flock) uint64 {
	h := mix(uint64(n.id)+1<<42, uint64(l.proc))
	if l.exclusive {
		h = mix(h, 1)
	}
	return h
}

// at follows an absolute path; visit sees every step of it.
func (d *disk) at(path string, visit func(dir *node, name string)) (dir *node, name string, n *node) {
	n = d.root
	for element := range strings.SplitSeq(path, "/") {
		if element == "" {
			continue
		}
		if n == nil || !n.isDir {
			return nil, "", nil
		}
		if visit != nil {
			visit(n, element)
		}
		dir, name, n = n, element, n.names[element]
	}
	return dir, name, n
}

// path is where n lies now.
func (n *node) path() string {
	switch {
	case n.gone:
		return "(removed) " + n.name
	case n.parent == nil:
		return ""
	}
	return n.parent.path() + "/" + n.name
}

func (n *node) has(name string) bool { return n.names[name] != nil }

// make follows the making of a file.
func (p *Proc) make(dir *dir, name string, isDir bool) *node {
	in := dir.node
	p.made++
	d := p.w.disk
	n := d.add(nodeID(p.n)*10_000+nodeID(p.made), d.roles.get(in.role, name), isDir, p.n, p.now.UnixNano())
	d.content += n.contentHash()
	d.attach(in, name, n)
	if isDir && isOldLock(n.path()) {
		p.w.oldPlaced(p, n)
	}
	p.w.written(p, in)
	if info, err := dir.Dir.Lstat(name); err == nil && !p.w.sc.RealInodes {
		p.w.ids[info.Ino] = n.id
	}
	return n
}

// point is what an operation on a name is called, pointAt one on an open file.
func (p *Proc) point(v verb, dir *node, name string) point {
	return point{verb: v, on: p.w.roleOf(dir, name), own: dir != nil && dir.maker == p.n}
}

func (p *Proc) pointAt(v verb, n *node) point {
	return point{verb: v, on: n.role, own: n.maker == p.n}
}

func (p *Proc) unlocked(f *file) {
	if i := slices.Index(p.locked, f); i >= 0 {
		p.locked = slices.Delete(p.locked, i, i+1)
	}
}
