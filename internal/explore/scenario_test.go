package explore

import (
	"syscall"
	"time"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// scenarios is everything that is explored, smallest first.
var scenarios = []*Scenario{
	{Name: "first-use", After: settled, Preemptions: -1,
		Procs: []Part{{Do: tryOnce}, {Do: tryOnce}}},
	{Name: "acquire", Before: rooted, After: settled, Preemptions: -1, Polls: 2,
		Procs: []Part{{Do: tenant}, {Do: tenant}}},
	{Name: "acquire-crash", Before: rooted, After: settled, Preemptions: -1, Polls: 2, Crashes: 1,
		Procs: []Part{{Do: tenant}, {Do: tenant}}},
	{Name: "look", Before: rooted, After: settled, Preemptions: -1, Crashes: 1,
		Procs: []Part{{Do: tryOnce}, {Do: looker}}},
	{Name: "claim", Before: crashedHolder, After: settled, Preemptions: -1,
		Procs: []Part{{Do: reclaimer}, {Do: reclaimer}}},
	{Name: "claim-release", Before: rooted, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tenant}, {Do: claimAnyway}}},
	{Name: "reclaim", Before: crashedHolder, After: settled, Preemptions: 3, Polls: 2,
		Procs: []Part{{Do: tenant}, {Do: tenant}}},
	{Name: "collect", Before: crashedHolder, After: settled, Preemptions: -1,
		Procs: []Part{{Do: tryOnce}, {Do: (*Proc).Collect}}},
	{Name: "break", Before: rooted, After: settled, Preemptions: -1, Polls: 2,
		Procs: []Part{{Do: twice}, {Do: breaker}}},
	{Name: "fallback", Before: rooted, After: settled, Preemptions: -1, Polls: 2,
		Oversleep: time.Minute, Always: failRetirement,
		Procs: []Part{{Do: tenant}, {Do: tenant}}},
	{Name: "lies", Before: rooted, After: settled, Preemptions: 1, Polls: 2, Faults: 1, Fault: anyRename,
		Procs: []Part{{Do: tenant}, {Do: tenant}}},
	{Name: "publish", Before: rooted, After: settled, Preemptions: -1, Polls: 2, Artifact: "/c/out/tool",
		Procs: []Part{{Do: builder}, {Do: breakAndBuild}}},
	{Name: "publish-beside", Before: rooted, After: settled, Preemptions: 2, Polls: 2,
		Artifact: "/m/tool", Mount: "/m", Replace: true,
		Procs: []Part{{Do: builder}, {Do: breakAndBuild}}},
	{Name: "adopt", Before: rooted, After: settled, Preemptions: -1, Polls: 2, Artifact: "/c/out/tool", Remember: true,
		Procs: []Part{{Do: builder}, {Do: (*Proc).Do}}},
	{Name: "fail", Before: rooted, After: settled, Preemptions: -1, Polls: 2, Artifact: "/c/out/tool", Remember: true,
		Procs: []Part{{Do: tenant}, {Do: (*Proc).Do}}},
	{Name: "empty", Before: emptyCurrent, After: settled, Preemptions: -1, Polls: 2,
		Procs: []Part{{Do: tenant}, {Do: tenant}}},
	{Name: "foreign", Before: rooted, After: settledWithoutForeign, Preemptions: 3, Polls: 2, Format: protocol.TTSC, Crashes: 1,
		Procs: []Part{{Do: tryOnce}, {Do: Foreign}}},
	{Name: "by-hand", Before: rooted, Preemptions: 3, Polls: 2, ByHand: true,
		Procs: []Part{{Do: tenant}, {Do: remover}}},
	{Name: "child", Before: rooted, After: settled, Preemptions: -1, Polls: 2,
		Procs: []Part{{Do: parent}, {Do: goOn, Child: true}, {Do: tryOnce}}},
	{Name: "namespaces", Before: rooted, After: settled, Preemptions: -1, Polls: 2, Crashes: 1,
		Procs: []Part{{Do: tryOnce}, {Do: tryOnce, PIDNS: "7"}}},
	{Name: "three", Before: rooted, After: settled, Preemptions: 2, Polls: 1, Crashes: 1,
		Procs: []Part{{Do: tryOnce}, {Do: tryOnce}, {Do: tryOnce}}},
}

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
func settled(w *World) {
	w.Play(func(p *Proc) {
		p.now = p.now.Add(3 * time.Hour)
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
