package memfs

import (
	"fmt"
	"strconv"
	"strings"
)

// Dump shows the whole tree, one line for each name in one fixed order: path,
// mode, owner unless it is user 0, and then a file's contents, a link's target,
// and the lock with the processes that hold it. It leaves out what differs
// between equal situations: inode numbers and times.
func (f *FS) Dump() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	dump(&b, f.root, false)
	return b.String()
}

// State is Dump with inode numbers and times, the descriptors of every process,
// removed files that are still open, the space in use, the pending changes and
// what is there without them. Two file systems of equal Options and equal State
// behave alike.
func (f *FS) State() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	dump(&b, f.root, true)
	for _, p := range f.procs {
		for fd, d := range p.open {
			if d != nil {
				fmt.Fprintf(&b, "process %d: %d: ", p.id, fd)
				d.describe(&b)
			}
		}
	}
	for _, v := range f.volumes {
		fmt.Fprintf(&b, "device %d: %d bytes, %d inodes, next %d, free %v\n", v.dev, v.bytes, v.inodes, v.nextIno, v.freed)
	}
	for _, c := range f.log {
		fmt.Fprintf(&b, "pending: %s %q\n", c, c.data)
	}
	if len(f.log) > 0 {
		b.WriteString("durable:\n")
		dump(&b, f.afterPowerCut(func(int, Change) bool { return false }).root, false)
	}
	return b.String()
}

func dump(b *strings.Builder, n *node, all bool) {
	b.WriteString(show(n.path()))
	n.describe(b, all)
	b.WriteByte('\n')
	for _, child := range n.sorted() {
		dump(b, child, all)
	}
}

func (n *node) describe(b *strings.Builder, all bool) {
	b.WriteString(" " + n.mode.String())
	if n.uid != 0 || n.gid != 0 {
		fmt.Fprintf(b, " %d:%d", n.uid, n.gid)
	}
	if all {
		fmt.Fprintf(b, " dev=%d ino=%d time=%d", n.vol.dev, n.ino, n.mtime.UnixNano())
	}
	switch {
	case n.isRegular():
		fmt.Fprintf(b, " %q", n.data)
	case n.isLink():
		b.WriteString(" -> " + show(n.target))
	}
	for _, d := range n.locks {
		fmt.Fprintf(b, " %v %v", d.lock, d.holders)
	}
}

func (d *dir) describe(b *strings.Builder) { describeOpen(b, "directory", d.node) }

func (f *file) describe(b *strings.Builder) {
	describeOpen(b, fmt.Sprintf("file of %v, %v, at %d,", f.desc.holders, f.desc.lock, f.desc.offset), f.desc.node)
}

func describeOpen(b *strings.Builder, what string, n *node) {
	fmt.Fprintf(b, "%s %s", what, show(n.path()))
	if n.removed {
		n.describe(b, true)
	}
	b.WriteByte('\n')
}

// show quotes a path only if it needs it.
func show(path string) string {
	if quoted := strconv.Quote(path); quoted != `"`+path+`"` || strings.ContainsRune(path, ' ') {
		return quoted
	}
	return path
}
