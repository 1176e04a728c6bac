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

func (w *World) tenureAt(n *node) *tenure {
	for _, t := range w.tenures {
		if n != nil && t.node == n {
			return t
		}
	}
	return nil
}
