package explore

import (
	"errors"
	"slices"
	"strings"

	"genlock.dev/genlock"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

// The rules about old locks, by the names that findings carry.
const (
	ruleOldLive  = "the old lock of a live holder is never taken"
	ruleOldCalm  = "a live old holder is not disturbed"
	ruleOldOrder = "only the holder of our lock touches an old one"
	ruleOldSeen  = "whoever came before us is seen"
	ruleOldWhole = "an old lock of ours is complete when it appears"
	ruleOldTold  = "whoever loses the old lock is told"
)

// isOldLock tells whether n is what old programs take for the lock.
func isOldLock(path string) bool { return path == lockPath || path == v2Current }

const v2Current = lockPath + ".v2/" + protocol.CurrentName

// onOldRename looks at renames to and from the places of old locks.
func (w *World) onOldRename(p *Proc, moved, from *node, name string) {
	if w.sc.Dialects == "" || !moved.isDir {
		return
	}
	if was := from.path() + "/" + name; isOldLock(was) {
		w.oldTaken(p, moved, was)
	}
	if isOldLock(moved.path()) {
		w.oldPlaced(p, moved)
	}
}

// onOldEnd looks at a directory that is about to be removed, or replaced by a rename.
func (w *World) onOldEnd(p *Proc, n *node) {
	if place := n.path(); w.sc.Dialects != "" && n.isDir && isOldLock(place) {
		w.oldTaken(p, n, place)
	}
}

// oldPlaced: an old lock of ours is complete from the instant it appears. What was
// moved by mistake may come back.
func (w *World) oldPlaced(p *Proc, n *node) {
	owner := w.procs[n.maker]
	switch {
	case p.displaced == n:
		p.displaced = nil
		w.saw(putBack)
	case p != owner:
		owner.robbed.set(n.path(), "")
	case p.old == nil:
		p.robbed.set(n.path(), "")
		w.inOrder(p)
		if rec := n.names[protocol.RecordName]; !strings.HasPrefix(w.sc.Dialects, "heartbeat") && (rec == nil || len(rec.data) == 0) {
			w.fail(ruleOldWhole, "%s makes %s, which has no record", p.name, n.path())
		}
	}
}

// oldTaken: n, which was the old lock at place, is moved away or removed by p.
func (w *World) oldTaken(p *Proc, n *node, place string) {
	owner := w.procs[n.maker]
	p.touchLife(owner, reads)
	if p.old == nil {
		w.inOrder(p)
	}
	switch {
	case p == owner, owner.dead:
	case p.old != nil && owner.old != nil:
		w.misled(p, owner, n, place)
	case p.old != nil:
		w.robbery(p, owner, n, place)
	case owner.old != nil:
		p.displaced, n.displaced = n, true
	default:
		w.fail(ruleOldLive, "%s moves away the old lock of %s, which lives", p.name, owner.name)
	}
}

// inOrder: our own lock is taken first and released last.
func (w *World) inOrder(p *Proc) {
	_, _, current := p.walk(rootPath + "/" + protocol.CurrentName)
	t := w.tenureAt(current)
	if t == nil || t.owner != p {
		w.fail(ruleOldOrder, "%s does: %s", p.name, p.doing)
	}
}

// written: nothing is written into an old lock whose holder lives.
func (w *World) written(p *Proc, dir *node) {
	for n := dir; w.sc.Dialects != "" && p.old == nil && n != nil && n.parent != nil; n = n.parent {
		if n.maker > 0 && w.procs[n.maker].old != nil && isOldLock(n.path()) {
			p.touchLife(w.procs[n.maker], reads)
			if !w.procs[n.maker].dead {
				w.fail(ruleOldCalm, "%s does: %s", p.name, p.doing)
			}
		}
	}
}

// reads notes of which lock an old program read the record.
func (p *Proc) reads(d *dir, name string) {
	if p.old == nil || name != protocol.RecordName && !strings.HasPrefix(name, ".owner-") || d.node == nil {
		return
	}
	if d.node.has(name) {
		p.old.judged = d.node
	} else {
		p.old.bare = d.node
	}
}

// beforeUs is who had an old lock when p published its generation.
func (w *World) beforeUs(p *Proc) (list []*node) {
	if w.sc.Dialects == "" || w.sc.Hold {
		return nil
	}
	for _, path := range []string{lockPath, v2Current} {
		if _, _, n := p.walk(path); n != nil && w.procs[n.maker].old != nil {
			list = append(list, n)
		}
	}
	return list
}

// cameBefore: whoever had an old lock before we published, and still has it, keeps
// us from the lock.
func (p *Proc) cameBefore(t *tenure) {
	for _, n := range t.before {
		if !p.w.procs[n.maker].dead && !n.gone && isOldLock(n.path()) {
			p.w.fail(ruleOldSeen, "%s has the lock although %s had %s before", p.name, p.w.procs[n.maker].name, n.path())
		}
	}
}

// knows: what was moved by mistake lies where it lay, or the error tells where. told is
// whether it does.
func (p *Proc) knows(err error) (told bool) {
	var displaced *legacy.DisplacedError
	told = errors.As(err, &displaced)
	switch n := p.displaced; {
	case told:
		p.lies(displaced, n)
	case n != nil:
		p.w.fail(ruleOldLive, "%s moved the old lock of %s, which lives, to %s (%v)", p.name, p.w.procs[n.maker].name, n.path(), err)
	}
	p.displaced = nil
	return told
}

// forgets: an old program that releases its lock while ours has moved it away finds
// nothing to delete. What is put back then stays until its process ends.
func (p *Proc) forgets() {
	for _, n := range p.w.disk.nodes {
		if n.maker == p.n && n.displaced && !n.gone {
			p.forgot = n
		}
	}
}

// lies: an old lock lies where the error says, that of somebody who lived when the call
// began, and a scenario in which that happens names the window. n is what p displaced,
// unless its holder had died by then.
func (p *Proc) lies(displaced *legacy.DisplacedError, n *node) {
	_, _, there := p.w.disk.at(displaced.NowLiesAt, nil)
	switch {
	case there == nil, p.w.procs[there.maker].old == nil, n != nil && n != there:
		p.w.fail(ruleOldLive, "%s was told, and the displaced lock does not lie there: %v", p.name, displaced)
	case p.marks.deadThen>>there.maker&1 != 0:
		p.w.fail(ruleErrors, "%s was told, and what lies there was abandoned before it asked: %v", p.name, displaced)
	case !slices.Contains(p.w.sc.Windows, thirdTook):
		p.w.fail(ruleErrors, "%s was told, and the scenario has no third program: %v", p.name, displaced)
	}
	p.w.saw(thirdTook)
}

// Told asks whether the lease still stands.
func (p *Proc) Told(l *genlock.Lease) {
	p.call()
	before := p.robbed.window()
	err := l.Check()
	p.done(resultOf(err))
	switch {
	case before != "" && p.robbed.window() != "" && !errors.Is(err, genlock.ErrLost):
		p.w.fail(ruleOldTold, "%s lost its old lock (%s) and was told %v", p.name, before, err)
	case err != nil && p.robbed.window() == "" && before == "":
		p.w.fail(ruleLost, "%s was told %v, and nobody took anything", p.name, err)
	}
}

// touchOldPlaces: what the rules say about a call depends on who has the old lock.
func (p *Proc) touchOldPlaces() {
	if p.w.sc.Dialects != "" {
		p.walk(lockPath)
		p.walk(v2Current)
	}
}

// hashOld is what the rules about old locks remember.
func (w *World) hashOld(h uint64, p *Proc) uint64 {
	if w.sc.Dialects == "" {
		return h
	}
	h = mixString(mixString(h, string(p.robbed.dir)), string(p.robbed.v2))
	for _, n := range []*node{p.displaced, p.forgot} {
		if n != nil {
			h = mix(h, uint64(n.id))
		}
		h = mix(h, 1)
	}
	if t := w.tenureAt(w.current()); t != nil && t.owner == p {
		for _, n := range t.before {
			h = mix(h, uint64(n.id))
		}
	}
	return h
}
