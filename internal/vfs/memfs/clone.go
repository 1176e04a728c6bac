package memfs

import (
	"slices"
	"strings"
)

// Clone returns an independent copy of the disk, pending changes included, on
// which no process runs: as if all of them had been killed this instant.
func (f *FS) Clone() *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &cloner{seen: map[*node]*node{}}
	out := &FS{}
	for _, v := range f.volumes {
		copied := *v
		copied.freed = slices.Clone(v.freed)
		out.volumes = append(out.volumes, &copied)
	}
	c.volumes = out.volumes
	out.root = c.node(f.root)
	for _, change := range f.log {
		out.log = append(out.log, c.change(change))
	}
	c.release(f)
	out.start(User{})
	return out
}

// cloner copies a graph of nodes, each of them once.
type cloner struct {
	volumes []*volume
	seen    map[*node]*node
}

func (c *cloner) node(n *node) *node {
	if n == nil {
		return nil
	}
	if done, ok := c.seen[n]; ok {
		return done
	}
	out := new(node)
	c.seen[n] = out
	*out = *n
	out.vol = c.volumes[n.vol.dev-1]
	out.data = slices.Clone(n.data)
	out.opens, out.locks = 0, nil
	out.parent = c.node(n.parent)
	if n.isDir() {
		out.names = make(map[string]*node, len(n.names))
		for key, child := range n.names {
			out.names[key] = c.node(child)
		}
	}
	if n.settled != nil {
		img := n.settled.clone()
		for key, s := range img.names {
			img.names[key] = slot{s.name, c.node(s.node)}
		}
		out.settled = &img
	}
	return out
}

func (c *cloner) change(ch Change) Change {
	ch.dir, ch.toDir = c.node(ch.dir), c.node(ch.toDir)
	ch.node, ch.toNode = c.node(ch.node), c.node(ch.toNode)
	return ch
}

// release frees, in the copy, the removed inodes that only the processes of the
// original still held.
func (c *cloner) release(f *FS) {
	done := map[*node]bool{}
	for _, p := range f.procs {
		for _, d := range p.open {
			if d == nil {
				continue
			}
			n := d.inode()
			if n.removed && n.opens > 0 && !done[n] {
				done[n] = true
				c.volumes[n.vol.dev-1].free(n)
			}
		}
	}
}

// sorted lists the slots by name.
func (img image) sorted() []slot {
	list := make([]slot, 0, len(img.names))
	for _, s := range img.names {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b slot) int { return strings.Compare(a.name, b.name) })
	return list
}
