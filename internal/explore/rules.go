package explore

import (
	"slices"
	"strings"

	"genlock.dev/genlock/protocol"
)

// The rules, by the names that findings carry.
const (
	ruleExclusion = "exclusion"
	ruleExact     = "exact retirement"
	ruleFence     = "a fence never retires a successor"
	ruleEvidence  = "no live holder is retired by evidence"
	ruleLate      = "no late publication"
	ruleProgress  = "progress"
	ruleLitter    = "no litter after collecting"
	ruleClaim     = "no tombstone is collected under an open claim"
	ruleSpent     = "a tombstone stays until its holder is spent"
	ruleRelease   = "release never leaves the lock held"
	ruleLooking   = "looking writes nothing"
	ruleWhole     = "a generation is complete when it appears"
	ruleVerdict   = "a verdict is true"
	ruleLost      = "nothing is lost without a cause"
	ruleErrors    = "losing a race is no error"
	ruleAdopted   = "adopted means that it is there"
)

// onRename looks at every rename that happened: moved was from/name before.
func (w *World) onRename(p *Proc, moved, from *node, name string) {
	w.onOldRename(p, moved, from, name)
	w.written(p, moved.parent)
	switch {
	case w.isCurrent(moved):
		w.wholeGeneration(p, moved, from)
	case name == protocol.CurrentName && w.isRoot(from):
		w.exactRetirement(p, moved)
	case w.isTombstone(moved) && w.isRoot(from):
		if t := w.tenures[protocol.ID(moved.name)]; t != nil && t.owner != p {
			w.reallyGone(p, t)
		}
	case from.role == w.know.retired && !w.isTombstone(moved):
		w.tombstoneFree(p, moved, name)
	case moved.name == protocol.CompletionName:
		if t := w.tenureAt(moved.parent); t != nil {
			t.finished = true
		}
	case moved.role == w.know.claim:
		w.claimMoved(p, moved, from)
	case w.sc.Artifact != "" && moved.path() == w.sc.Artifact:
		w.noLatePublication(p, from)
	}
}

// wholeGeneration: a candidate is complete, then it becomes current (rule 1).
func (w *World) wholeGeneration(p *Proc, n, from *node) {
	if t := w.tenureAt(n); t != nil {
		return // it was put back
	}
	whole := n.has(protocol.GenerationName) && n.has(protocol.RecordName) && n.of != ""
	witnessed := p.marks.foreign
	for name, child := range n.names {
		if strings.HasPrefix(name, "witness.") {
			witnessed = slices.Contains(child.locks, flock{p.n, true})
		}
	}
	if (!whole || !witnessed) && !w.sc.ByHand {
		w.fail(ruleWhole, "%s makes %s current, which is torn", p.name, n.of)
	}
	w.tenures[n.of] = &tenure{id: n.of, node: n, owner: p, order: len(w.tenures), before: w.beforeUs(p)}
}

// exactRetirement: whoever retires a generation retires that one, and has a
// reason to (rules 2 and 5).
func (w *World) exactRetirement(p *Proc, n *node) {
	t := w.tenureAt(n)
	meant, isID := protocol.ParseID(n.name)
	rule := ruleFence
	if m := w.tenures[meant]; m != nil && m.owner == p {
		rule = ruleExact
	}
	switch {
	case t == nil:
		return // an empty directory
	case p.marks.hand:
		t.byHand = true
		return
	case !w.isTombstone(n) || !isID:
		w.fail(ruleExact, "%s moves generation %s to %s", p.name, t.id, n.path())
	case t.id != meant && !w.sc.ByHand:
		w.fail(rule, "%s moves generation %s onto the tombstone of %s", p.name, t.id, meant)
	case t.owner != p && p.marks.breaking == t.id:
		t.broken = true
	case t.owner != p && t.id == meant:
		w.reallyGone(p, t)
	}
	t.retiredBy = p
	p.retired++
}

// reallyGone: evidence permits only what is so.
func (w *World) reallyGone(p *Proc, t *tenure) {
	if t.node.has(protocol.CompletionName) {
		return
	}
	p.touchLife(t.owner, reads)
	if !t.owner.dead {
		w.fail(ruleEvidence, "%s retires generation %s, whose holder %s lives", p.name, t.id, t.owner.name)
	}
	if w.kept(t, func(witness *node) { p.touch(locks, witness, "", reads) }) {
		w.fail(ruleEvidence, "%s retires generation %s, which a command of its holder keeps", p.name, t.id)
	}
}

// kept tells whether the holder, or a command it started, has the witness locked.
// A probe does not count.
func (w *World) kept(t *tenure, visit func(*node)) bool {
	for name, child := range t.node.names {
		if !strings.HasPrefix(name, "witness.") {
			continue
		}
		visit(child)
		for _, l := range child.locks {
			if l.exclusive && (l.proc == t.owner.n || w.procs[l.proc].child) {
				return true
			}
		}
	}
	return false
}

// tombstoneFree: a tombstone goes when nobody can still ask to retire its
// generation (rule 8).
func (w *World) tombstoneFree(p *Proc, n *node, name string) {
	t := w.tenureAt(n)
	if t == nil || p.marks.hand {
		return
	}
	for _, c := range t.claims {
		p.touchLife(c.maker, reads)
		if c.open && c.early && !c.maker.dead {
			w.fail(ruleClaim, "%s takes the tombstone of %s away, on which %s has a claim", p.name, name, c.maker.name)
		}
	}
	if p != t.owner && !t.owner.dead && !n.has(protocol.CompletionName) {
		w.fail(ruleSpent, "%s takes the tombstone of %s away, whose holder %s may still rename", p.name, name, t.owner.name)
	}
}

// claimMoved follows claims in and out of generations.
func (w *World) claimMoved(p *Proc, n, from *node) {
	if n.parent.role == w.know.observers {
		if t := w.tenureAt(n.parent.parent); t != nil {
			t.claims = append(t.claims, &claim{maker: p, node: n, open: true, early: w.isCurrent(t.node)})
		}
		return
	}
	for _, t := range w.tenures {
		for _, c := range t.claims {
			if c.node != n || !c.open {
				continue
			}
			c.open = false
			if c.maker != p && !c.maker.dead && !p.marks.hand {
				w.fail(ruleClaim, "%s takes away the claim of %s, who lives", p.name, c.maker.name)
			}
		}
	}
}

// noLatePublication: an artifact is published by whoever holds the lock, or by
// somebody whose successor has not looked at the artifact yet (rule 14).
func (w *World) noLatePublication(p *Proc, from *node) {
	t := w.tenureAt(w.current())
	if t != nil && t.owner == p {
		return
	}
	if from.role == w.know.beside {
		for _, q := range w.procs[1:] {
			if q != p && q.marks.looked > p.marks.acquired {
				w.fail(ruleLate, "%s publishes after its successor %s has looked", p.name, q.name)
			}
		}
		return
	}
	w.fail(ruleLate, "%s publishes although its generation is not current any more", p.name)
}

// onRemove looks at every removal before it happens: nothing is deleted under a
// name by which somebody may still act on it (rule 8).
func (w *World) onRemove(p *Proc, n *node) {
	w.onOldEnd(p, n)
	if p.old != nil && n.name == protocol.RecordName && n.parent != nil {
		n.parent.stripped = true
	}
	if n.role == w.know.claim || p.marks.hand || n.parent == nil {
		return
	}
	switch n.name {
	case protocol.GenerationName, protocol.RecordName:
		if w.isCurrent(n.parent) && !w.standsIn(n.parent) || w.isTombstone(n.parent) {
			w.fail(ruleExact, "%s deletes %s in place", p.name, n.path())
		}
	}
}

// standsIn tells whether a tombstone stands in for the current directory n, which
// lies where nothing can be renamed (rule 10).
func (w *World) standsIn(n *node) bool {
	_, _, tombstone := w.disk.at(rootPath+"/"+protocol.RetiredName+"/"+string(n.of), nil)
	return w.sc.Lower && n.of != "" && tombstone != nil
}

// onDeath: what a dead process marked is over.
func (w *World) onDeath(p *Proc) { p.marks.inside = false }
