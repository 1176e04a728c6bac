package memfs

// What a power cut leaves.
//
// A file system writes changes back when it likes to. Pending lists the changes
// since the last Settle, oldest first, that may be lost; AfterPowerCut makes the
// disk on which exactly the chosen ones survived.
//
//   - An addition of a name, a removal of a name and the data of a write persist
//     independently of each other and of their order.
//   - A rename is one change: no journaling file system shows half of one, with
//     both names or with neither. It moves the inode from wherever it would be
//     without it, and replaces what has the new name.
//   - A file whose data did not survive has what it had before: 0 bytes when it
//     is new. Of two writes the later may survive alone; a gap reads as zeros.
//   - Sync makes a file's data durable, and no name. There is no way to make a
//     name durable but Settle.
//   - Owner, mode and time are part of the inode and come with any name of it.
//   - What no surviving name leads to is gone. A name whose place another
//     surviving change took is lost, too, with all that was below.
//
// This is more than one file system does: ext4 keeps the order of names, btrfs
// does not always. Code that stands every subset stands them all. A write is
// never torn in the middle, since the records of interest fit in a page.

// Pending lists the changes that a power cut may lose, oldest first.
func (f *FS) Pending() []Change {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Change(nil), f.log...)
}

// Settle makes everything durable.
func (f *FS) Settle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.log {
		for _, n := range []*node{c.node, c.dir, c.toDir} {
			if n != nil {
				n.settled = nil
			}
		}
	}
	f.log = nil
}

// AfterPowerCut returns the disk after the machine stopped now and started
// again, with exactly those pending changes for which keep holds; i counts them
// as Pending does. The receiver stays as it is. The new FS has no processes, no
// locks and nothing pending. Inode numbers survive unless two inodes that both
// came back share one.
func (f *FS) AfterPowerCut(keep func(i int, c Change) bool) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.afterPowerCut(keep)
}

func (f *FS) afterPowerCut(keep func(int, Change) bool) *FS {
	s := &survivors{at: map[*node]place{}, images: map[*node]image{}}
	s.scan(f.root)
	for i, c := range f.log {
		if keep(i, c) {
			s.apply(c)
		}
	}
	return s.build(f)
}

// survivors is the tree that is on the disk: images of the inodes, and for each
// inode the one name it has.
type survivors struct {
	images map[*node]image
	at     map[*node]place
}

func (s *survivors) scan(dir *node) {
	for _, slot := range s.image(dir).names {
		s.at[slot.node] = place{dir: dir, name: slot.name, node: slot.node}
		s.scan(slot.node)
	}
}

func (s *survivors) image(n *node) image {
	img, ok := s.images[n]
	if !ok {
		img = n.durable().clone()
		s.images[n] = img
	}
	return img
}

func (s *survivors) apply(c Change) {
	switch c.Kind {
	case Added:
		s.put(c.dir, c.name, c.node)
	case Removed:
		if at := s.at[c.node]; at.dir == c.dir && c.dir.vol.key(at.name) == c.dir.vol.key(c.name) {
			s.take(c.node)
		}
	case Renamed:
		s.put(c.toDir, c.toName, c.node)
	case Exchanged:
		s.put(c.dir, c.name, c.toNode)
		s.put(c.toDir, c.toName, c.node)
	case Wrote:
		img := s.image(c.node)
		img.data = patch(img.data, c.offset, c.data)
		if c.ends {
			img.data = img.data[:c.offset+len(c.data)]
		}
		s.images[c.node] = img
	}
}

// put gives n this name and no other.
func (s *survivors) put(dir *node, name string, n *node) {
	s.take(n)
	names, key := s.image(dir).names, dir.vol.key(name)
	if old, ok := names[key]; ok {
		delete(s.at, old.node)
	}
	names[key] = slot{name, n}
	s.at[n] = place{dir: dir, name: name, node: n}
}

// take leaves n without a name.
func (s *survivors) take(n *node) {
	if at, ok := s.at[n]; ok {
		delete(s.image(at.dir).names, at.dir.vol.key(at.name))
		delete(s.at, n)
	}
}

// build makes a new FS from what the root leads to.
func (s *survivors) build(f *FS) *FS {
	out := &FS{}
	for _, v := range f.volumes {
		out.addVolume(v.opt).nextIno = v.nextIno
	}
	taken := map[[2]uint64]bool{}
	var rebuild func(n *node) *node
	rebuild = func(n *node) *node {
		img := s.image(n)
		c := *n
		c.vol = out.volumes[n.vol.dev-1]
		c.parent, c.removed, c.opens, c.locks, c.settled = nil, false, 0, nil, nil
		c.data = img.data
		if taken[[2]uint64{c.vol.dev, c.ino}] {
			c.ino = c.vol.takeIno()
		}
		taken[[2]uint64{c.vol.dev, c.ino}] = true
		c.vol.inodes++
		c.vol.bytes += int64(len(c.data))
		if n.isDir() {
			c.names = map[string]*node{}
		}
		for _, slot := range img.sorted() {
			child := rebuild(slot.node)
			child.parent, child.name = &c, slot.name
			c.names[c.vol.key(slot.name)] = child
		}
		return &c
	}
	out.root = rebuild(f.root)
	out.start(User{})
	return out
}
