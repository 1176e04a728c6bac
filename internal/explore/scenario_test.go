package explore

import (
	"testing"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/retire"
)

func tenant(p *Proc) {
	l := p.Acquire()
	if l == nil {
		return
	}
	p.Work()
	p.Release(l)
}

func tryOnce(p *Proc) {
	if l := p.Try(); l != nil {
		p.Work()
		p.Release(l)
	}
}

// hold acquires and does not release.
func hold(p *Proc) {
	if p.Acquire() != nil {
		p.Inside()
	}
}

// crashedHolder is a scene in which somebody died holding the lock.
func crashedHolder(w *World) { w.Crash(w.Play(hold)) }

// rooted is a scene in which the lock was used before.
func rooted(w *World) { w.Crash(w.Play(tryOnce)) }

// settled is an end: those who did not crash live on, idle, and a newcomer gets
// the lock beside them and leaves nothing.
func settled(w *World) {
	w.Play(func(p *Proc) {
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

// reclaimer claims by hand what it sees as gone, as the acquire loop does, in
// separate calls.
func reclaimer(p *Proc) {
	root := p.Root()
	if root == nil {
		return
	}
	o := p.Status()
	if o == nil || o.Generation == "" {
		return
	}
	if f := p.Claim(root, o.Generation); f != nil {
		p.Reclaim(f)
		p.Withdraw(f)
		p.Bury(root, o.Generation)
	}
	root.Close()
}

var _ = fence.ErrMoved
var _ = retire.Bury

var scenarios = []*Scenario{
	{Name: "first-use", Procs: []Part{{Do: tryOnce}, {Do: tryOnce}}, After: settled},
	{Name: "acquire", Before: rooted, Procs: []Part{{Do: tenant}, {Do: tenant}}, After: settled},
	{Name: "acquire-crash", Before: rooted, Procs: []Part{{Do: tenant}, {Do: tenant}}, Crashes: 1, After: settled},
	{Name: "reclaim", Before: crashedHolder, Procs: []Part{{Do: tenant}, {Do: tenant}}, After: settled},
}

func TestExplore(t *testing.T) {
	for _, sc := range scenarios {
		sc.Preemptions = -1
		t.Run(sc.Name, func(t *testing.T) {
			stats, f := Explore(sc, Limits{Runs: 100000})
			t.Log(stats)
			if f != nil {
				t.Fatal(f)
			}
		})
	}
}
