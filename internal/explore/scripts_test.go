package explore

import (
	"strings"
	"syscall"
	"time"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Scripts.

func tenant(p *Proc) {
	if l := p.Acquire(); l != nil {
		p.Work()
		p.Release(l)
	}
}

func tryOnce(p *Proc) {
	if l := p.Try(); l != nil {
		p.Work()
		p.Release(l)
	}
}

// failing tells that its work failed.
func failing(p *Proc) {
	if l := p.Acquire(); l != nil {
		p.Work()
		p.call()
		l.Failed(1, "exit status 1")
		p.done(0)
		p.Release(l)
	}
}

func twice(p *Proc) {
	tryOnce(p)
	tryOnce(p)
}

// hold acquires and does not release.
func hold(p *Proc) {
	if p.Acquire() != nil {
		p.Inside()
	}
}

func looker(p *Proc) {
	p.Status()
	p.Status()
}

// reclaimer does in separate calls what the acquire loop does when it sees that a
// holder is gone.
func reclaimer(p *Proc) {
	root := p.Root()
	o := p.Status()
	if root == nil || o == nil || o.Generation == "" {
		return
	}
	if f := p.Claim(root, o.Generation); f != nil {
		p.Reclaim(f)
		p.Withdraw(f)
		p.Bury(root, o.Generation)
	}
	tryOnce(p)
}

// claimAnyway claims what is held, whatever it looks like.
func claimAnyway(p *Proc) {
	root := p.Root()
	o := p.Status()
	if root == nil || o == nil || o.Generation == "" {
		return
	}
	if f := p.Claim(root, o.Generation); f != nil {
		p.Reclaim(f)
		p.Withdraw(f)
		p.Bury(root, o.Generation)
	}
}

// breaker breaks what is held.
func breaker(p *Proc) {
	root := p.Root()
	o := p.Status()
	if root == nil || o == nil || o.Generation == "" {
		return
	}
	if f := p.Claim(root, o.Generation); f != nil {
		p.Break(f)
		p.Withdraw(f)
		p.Bury(root, o.Generation)
	}
}

func pruneAndHold(p *Proc) {
	p.Prune()
	tryOnce(p)
}

func builder(p *Proc) {
	if l := p.Acquire(); l != nil {
		p.Build(l)
		p.Release(l)
	}
}

func breakAndBuild(p *Proc) {
	breaker(p)
	builder(p)
}

// remover deletes the lock's directory by hand and takes the lock.
func remover(p *Proc) {
	p.marks.hand = true
	if d, err := p.env.FS.OpenDir(lockDir); err == nil {
		vfs.RemoveAll(d, lockBase+protocol.RootSuffix, nil)
		d.Close()
	}
	p.done(0)
	p.marks.hand = false
	tenant(p)
}

// parent starts a command under the lock and is killed.
func parent(p *Proc) {
	if l := p.Acquire(); l != nil {
		p.Fork()
		p.Die()
	}
}

// goOn is that command; it ends some time later.
func goOn(p *Proc) {
	p.mark("goes on")
	p.Die()
}

// Scenes and ends.

// crashedHolder is a scene in which somebody died holding the lock.
func crashedHolder(w *World) { w.Crash(w.Play(hold)) }

// rooted is a scene in which the lock was used before.
func rooted(w *World) { w.Crash(w.Play(tryOnce)) }

// crashedMaker is a scene in which somebody died between making a witness and
// locking it, and somebody else before that.
func crashedMaker(w *World) {
	rooted(w)
	for _, at := range []func(*Proc, op) bool{lockingWitness, makingWitness} {
		w.Crash(w.PlayUntil(at, tryOnce))
	}
}

// bakedIn is crashedHolder in an image.
func bakedIn(w *World) {
	crashedHolder(w)
	w.fs.MarkLower(currentPath)
}

// emptyCurrent is a scene in which current is an empty directory, which holds
// nothing.
func emptyCurrent(w *World) {
	rooted(w)
	w.Crash(w.Play(func(p *Proc) {
		if d, err := p.env.FS.OpenDir(rootPath); err == nil {
			d.Mkdir(protocol.CurrentName, 0o755)
		}
	}))
}

// settled is an end: those who did not crash live on, idle, and a newcomer gets
// the lock beside them and leaves nothing.
func settled(w *World) { settledAt(w, 3*time.Hour) }

func settledAt(w *World, after time.Duration) {
	w.Play(func(p *Proc) {
		p.now = p.now.Add(after)
		l := p.Acquire()
		if l == nil {
			w.fail(ruleProgress, "a newcomer cannot acquire beside those who are idle")
			return
		}
		p.Release(l)
		p.Collect()
		if err := litter(w.fs); err != nil {
			w.fail(ruleLitter, "beside those who are idle %v", err)
		}
	})
}

// settledLater is settled after all have died: a claim whose withdrawal failed stays
// until then.
func settledLater(w *World) {
	for _, p := range w.procs[1:] {
		w.Crash(p)
	}
	settled(w)
}

// settledWithoutForeign ends the other program first, whose claims stay as long as
// it lives.
func settledWithoutForeign(w *World) {
	for _, p := range w.procs[1:] {
		if p.marks.foreign {
			w.Crash(p)
		}
	}
	settled(w)
}

// Where processes stand when a scene begins.

func landing(_ *Proc, o op) bool { return o.verb == vMkdir && o.name == protocol.ObserversName }

func makingWitness(_ *Proc, o op) bool {
	return o.verb == vCreate && strings.HasPrefix(o.name, "witness.")
}

func lockingWitness(_ *Proc, o op) bool { return o.verb == vFlock && o.at.alone }

// Faults.

// failRetirement makes the first process fail to retire anything.
func failRetirement(p *Proc, o op) fault {
	if p.n == 2 && o.verb == vRename && o.name == protocol.CurrentName {
		return Fails(syscall.EIO)
	}
	return fault{}
}

// anyRename fails, or reports failure although it happened.
func anyRename(p *Proc, o op) []fault {
	if o.verb != vRename {
		return nil
	}
	return []fault{Fails(syscall.EIO), Lies(syscall.EIO)}
}
