package explore

import "genlock.dev/genlock/protocol"

// tenure is what the explorer knows of a generation that was published.
type tenure struct {
	id     protocol.ID
	node   *node
	owner  *Proc
	order  int
	byHand bool // deleted or moved by hand
	broken bool // retired on an operator's word
	// finished: its holder said that it is done.
	finished bool
	// retiredBy is who moved it out of current.
	retiredBy *Proc
	claims    []*claim
	// before are the old locks that stood when it was published.
	before []*node
}

type claim struct {
	maker *Proc
	node  *node
	open  bool
	// early: it landed while the generation was current, so that it can have
	// been confirmed.
	early bool
}

// isRoot tells whether n is the lock's root. One that was moved away is none any more:
// it never returns.
func (w *World) isRoot(n *node) bool { return n.role == w.know.root && n.name == rootBase }
func (w *World) isCurrent(n *node) bool {
	return n.name == protocol.CurrentName && n.parent != nil && w.isRoot(n.parent)
}
func (w *World) isTombstone(n *node) bool {
	return n.parent != nil && n.parent.role == w.know.retired && n.parent.parent != nil && w.isRoot(n.parent.parent)
}

// current is what the lock's path leads to.
func (w *World) current() *node {
	_, _, n := w.disk.at(rootPath+"/"+protocol.CurrentName, nil)
	return n
}

// isSpare tells whether n is a generation that was released, and that its holder keeps
// locked to recycle it.
func (w *World) isSpare(n *node) bool {
	t := w.tenureAt(n)
	return t != nil && t.retiredBy == t.owner && w.kept(t, func(*node) {})
}

// tenureAt is the tenure whose generation the directory n holds. A directory that is
// recycled holds several in the course of time, and none while it is written over.
func (w *World) tenureAt(n *node) *tenure {
	if n == nil {
		return nil
	}
	if t := w.tenures[n.of]; t != nil && t.node == n {
		return t
	}
	return nil
}
