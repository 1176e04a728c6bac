package explore

import (
	"context"
	"fmt"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/protocol"
)

// World is one run: a file system, a machine, simulated processes.
type World struct {
	sc    *Scenario
	know  *knowledge
	fs    *memfs.FS
	disk  *disk
	races *races
	procs []*Proc // by number; procs[0] is nil
	cur   *Proc   // who moved last
	// free: nothing is scheduled; the scene is being set.
	free bool
	// everything is a scheduling point: schedules that are printed do not
	// depend on what a search has learned.
	everything bool

	effects int
	// moved is what the last move touched; woke and changed see sleeper.
	moved         []touch
	woke, changed bool
	crashes       int // that may still happen
	faults        int
	steps         int
	tenures       map[protocol.ID]*tenure
	section       int32 // slot of the work under the lock, see races
	// ids are our numbers of files, by those of the model file system.
	ids map[uint64]nodeID

	finding *Finding
	trace   []step
	record  bool
}

// step is one operation that happened, for people and for replays.
type step struct {
	proc  int
	op    op
	crash bool
	fault int
}

// Finding is a rule that did not hold.
type Finding struct {
	Rule string
	What string
}

func (f *Finding) Error() string { return f.Rule + ": " + f.What }

// fail records the first finding of the run.
func (w *World) fail(rule, format string, args ...any) {
	if w.finding == nil && (w.sc.Only == "" || w.sc.Only == rule) {
		w.finding = &Finding{rule, shorten(fmt.Sprintf(format, args...))}
	}
}

func newWorld(sc *Scenario, know *knowledge) *World {
	if know.scene == nil {
		know.scene = newScene(sc, know)
	}
	w, before := know.scene.begin()
	w.free = true
	for _, part := range sc.Procs {
		p := w.spawn(part)
		w.races.clocks[p.n] = before
		p.start(part.Do)
		if part.Until != nil {
			p.until = part.Until
			p.resume()
			p.until = nil
			before.join(&w.races.clocks[p.n])
		}
	}
	w.free = false
	return w
}

// spawn makes a process that does not run yet.
func (w *World) spawn(part Part) *Proc {
	p := &Proc{w: w, n: len(w.procs), now: began, fs: w.fs.Process()}
	p.name, p.child = string(letter(p.n)), part.Child
	p.now = p.now.Add(part.Ahead)
	w.procs = append(w.procs, p)
	ns := part.PIDNS
	if ns == "" {
		ns = firstPIDNS
	}
	p.self = newSelf(p, ns)
	p.env = (&env.Env{FS: &fsys{p, p.fs}, Machine: &p.self, Clock: wallclock{p}, NewID: p.newID, Leases: &env.Leases{}}).Keeping()
	p.ctx = env.With(context.Background(), p.env)
	if part.Cancel {
		p.ctx, p.cancel = context.WithCancel(p.ctx)
	}
	if part.Old != "" {
		p.become(part.Old)
	}
	return p
}

func (w *World) roleOf(dir *node, name string) role {
	if dir == nil {
		return 0
	}
	return w.disk.roles.get(dir.role, name)
}

// isPoint tells whether other processes may be scheduled before o.
func (w *World) isPoint(p *Proc, o op) bool {
	switch {
	case w.free:
		return p.until != nil && p.until(p, o)
	case w.everything || w.know.points[o.at]:
		return true
	}
	return w.faults > 0 && len(w.faultsAt(p, o)) > 0
}

// did is called after every operation.
func (w *World) did(p *Proc, changed bool) {
	w.steps++
	w.moved = append(w.moved, p.touches...)
	if changed {
		w.changed = true
		w.effects++
		p.dirty = true
		if p.marks.looking {
			w.fail(ruleLooking, "%s looks and does: %s", p.name, p.doing)
		}
	}
	if w.record {
		w.trace = append(w.trace, step{proc: p.n, op: p.doing, fault: p.fault.number})
	}
	if changed && !w.free && w.know.afterEffect != nil {
		w.know.afterEffect(w)
	}
}

// kill ends p at once: its descriptors go, and the rest of its code runs in a
// void.
func (w *World) kill(p *Proc) {
	if p.dead {
		return
	}
	p.touches = p.touches[:0]
	p.touchLife(p, writes)
	for _, f := range p.locked {
		p.touch(locks, f.node, "", writes)
		f.drop()
	}
	p.locked = nil
	w.races.step(p.n, point{verb: vCrash}, p.touches)
	w.effects++
	w.changed = true
	w.moved = append(w.moved, p.touches...)
	p.fs.Kill()
	w.bury(p)
	p.state = killed
	w.onDeath(p)
}

// leave is the end of p by itself. It runs in its coroutine, which ends on its own.
func (w *World) leave(p *Proc) {
	p.touches = p.touches[:0]
	p.touchLife(p, writes)
	for _, f := range p.locked {
		p.touch(locks, f.node, "", writes)
		f.drop()
	}
	p.locked = nil
	p.fs.Kill()
	p.end(true, 0)
	p.dead, p.state = true, killed
	w.onDeath(p)
}

// bury lets the coroutine of p come to its end without any effect.
func (w *World) bury(p *Proc) {
	p.dead = true
	for p.co != nil {
		p.resume()
	}
	// What a script does not release holds a place in this program's memory.
	for _, l := range p.leases {
		l.Release()
	}
}

// end ends all coroutines.
func (w *World) end() {
	for _, p := range w.procs[1:] {
		if !p.dead {
			w.bury(p)
		}
	}
}

func (w *World) byPID(pid int) *Proc {
	if n := pid - 100; n > 0 && n < len(w.procs) {
		return w.procs[n]
	}
	return nil
}

// finish is called when nobody can move any more.
func (w *World) finish() {
	w.free = true
	if w.sc.After != nil {
		w.sc.After(w)
	}
}

// hash stands for the whole state of the run: equal hashes have equal futures.
func (w *World) hash() uint64 {
	h := mix(w.disk.content, w.disk.locks)
	for _, p := range w.procs[1:] {
		bits := uint64(p.state)<<8 | uint64(p.idle)<<16 | uint64(p.wakes)<<32
		if p.narrow {
			bits |= 1
		}
		if w.effects > p.saw {
			bits |= 2
		}
		if p.cancelled {
			bits |= 8
		}
		if p.co == nil {
			bits |= 4 // not started, or at its end
		}
		h = mix(mix(h, p.history), bits)
		h = w.hashOld(h, p)
	}
	return mix(h, uint64(w.crashes)<<8|uint64(w.faults))
}
