package explore

import "slices"

// action is one choice of the scheduler.
type action struct {
	proc  int
	crash bool
	fault int // 0, or which of the faults that fit its operation
}

// options lists what can happen next. The process that moved last comes first.
// Without preempt it is not interrupted as long as it can go on.
func (w *World) options(preempt bool) []action {
	if c := w.cur; c != nil && c.narrow && c.state == ready && !c.dead {
		return []action{{proc: c.n}, {proc: c.n, crash: true}}
	}
	movers, inTime := w.movers()
	if c := w.cur; c != nil && inTime && slices.Contains(movers, c) {
		if !preempt {
			movers = []*Proc{c}
		} else {
			movers = append([]*Proc{c}, slices.DeleteFunc(movers, func(p *Proc) bool { return p == c })...)
		}
	}
	var list []action
	for _, p := range movers {
		list = append(list, action{proc: p.n})
		if w.faults > 0 && p.state == ready {
			for i := range w.faultsAt(p, p.doing) {
				list = append(list, action{proc: p.n, fault: i + 1})
			}
		}
	}
	if w.crashes > 0 && len(movers) > 0 {
		for _, p := range w.procs[1:] {
			if !p.dead && p.canCrash() {
				list = append(list, action{proc: p.n, crash: true})
			}
		}
	}
	return list
}

// canCrash leaves out crashes that nobody can notice.
func (p *Proc) canCrash() bool {
	return p.state != ended || len(p.locked) > 0
}

// movers are the processes that can go on. When only sleepers are left, time
// passes and any of them can.
func (w *World) movers() (list []*Proc, inTime bool) {
	var sleepers []*Proc
	for _, p := range w.procs[1:] {
		switch {
		case p.dead:
		case p.state == ready:
			list = append(list, p)
		case p.state == asleep:
			if w.effects > p.saw && p.wakes < w.sc.Polls {
				list = append(list, p)
			} else {
				sleepers = append(sleepers, p)
			}
		}
	}
	if len(list) == 0 {
		return sleepers, false
	}
	return list, true
}

func (w *World) inTime() bool {
	_, inTime := w.movers()
	return inTime
}

// apply makes the choice happen. It returns 1 if somebody who could have gone on
// has to wait.
func (w *World) apply(a action) (preemption int) {
	p := w.procs[a.proc]
	w.moved, w.woke, w.changed = w.moved[:0], p.state == asleep && !a.crash, false
	if a.crash {
		w.crashes--
		if w.record {
			w.trace = append(w.trace, step{proc: p.n, crash: true})
		}
		w.kill(p)
		return 0
	}
	if w.cur != nil && w.cur != p && w.cur.state == ready && !w.cur.dead {
		preemption = 1
	}
	w.cur = p
	if p.state == asleep {
		w.wake(p)
	}
	if a.fault > 0 {
		w.faults--
		p.fault = w.faultsAt(p, p.doing)[a.fault-1]
		p.fault.number = a.fault
	}
	p.resume()
	return preemption
}

// wake ends a sleep: something changed, or nobody else could run.
func (w *World) wake(p *Proc) {
	if w.inTime() {
		p.wakes++
		p.idle = 0
	} else {
		p.idle++
	}
	p.state, p.saw = ready, w.effects
}
