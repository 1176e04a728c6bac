package explore

import (
	"maps"
	"time"

	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/protocol"
)

// scene is where all runs of a search begin. If nobody lives in it, it is played
// once and copied.
type scene struct {
	sc   *Scenario
	know *knowledge
	copy *World // nil if somebody lives
}

func newScene(sc *Scenario, know *knowledge) *scene {
	s := &scene{sc: sc, know: know}
	w := s.play()
	for _, p := range w.procs[1:] {
		if !p.dead {
			w.end()
			return s
		}
	}
	if w.finding == nil {
		s.copy = w
	}
	return s
}

// begin returns a world with the scene set, and the clock that says that all of it
// came before.
func (s *scene) begin() (w *World, before clock) {
	if s.copy != nil {
		w = s.copy.dup()
		w.races = s.know.races.reset(s.know.learn)
		return w, before
	}
	w = s.play()
	for i := range w.races.clocks {
		before.join(&w.races.clocks[i])
	}
	return w, before
}

func (s *scene) play() *World {
	sc := s.sc
	w := &World{sc: sc, know: s.know, procs: []*Proc{nil}, tenures: map[protocol.ID]*tenure{}, ids: map[uint64]nodeID{},
		crashes: sc.Crashes, faults: sc.Faults}
	w.fs = memfs.New(memfs.Options{Durable: !sc.Power, ReuseInodes: sc.RealInodes, Clock: func() time.Time { return began }})
	w.disk = newDisk(s.know.roles)
	w.races = s.know.races.reset(s.know.learn)
	w.plantDir(lockDir)
	if sc.Mount != "" {
		w.plantDir(sc.Mount)
		w.fs.Mount(sc.Mount, memfs.Options{})
	}
	w.free = true
	if sc.Before != nil {
		sc.Before(w)
	}
	w.free = false
	return w
}

// dup copies a world in which all are dead.
func (w *World) dup() *World {
	c := *w
	c.fs, c.disk = w.fs.Clone(), w.disk.dup()
	c.ids = maps.Clone(w.ids)
	c.procs = make([]*Proc, len(w.procs), maxProcs)
	for i, p := range w.procs[1:] {
		dead := *p
		dead.w, dead.slot = &c, 0
		c.procs[i+1] = &dead
	}
	c.tenures = make(map[protocol.ID]*tenure, len(w.tenures)+4)
	for id, t := range w.tenures {
		copied := *t
		copied.node = c.disk.nodes[t.node.id]
		copied.owner = c.procs[t.owner.n]
		copied.claims = nil // of the dead
		if t.retiredBy != nil {
			copied.retiredBy = c.procs[t.retiredBy.n]
		}
		c.tenures[id] = &copied
	}
	c.moved, c.section = nil, 0
	return &c
}

// dup copies a disk that nobody has locked.
func (d *disk) dup() *disk {
	c := &disk{roles: d.roles, nodes: make(map[nodeID]*node, 2*len(d.nodes)), content: d.content, locks: d.locks}
	for id, n := range d.nodes {
		copied := *n
		copied.locks, copied.entries, copied.slots = nil, nil, [kinds]int32{}
		c.nodes[id] = &copied
	}
	for _, n := range c.nodes {
		if n.parent != nil {
			n.parent = c.nodes[n.parent.id]
		}
		if n.isDir {
			names := make(map[string]*node, len(n.names)+2)
			for name, child := range n.names {
				names[name] = c.nodes[child.id]
			}
			n.names = names
		}
	}
	c.root = c.nodes[d.root.id]
	return c
}

// Play runs script as a process of its own, alone, to its end: while the scene is
// set, or after all is over.
func (w *World) Play(script func(*Proc)) *Proc { return w.PlayUntil(nil, script) }

// PlayUntil is Play, but the process stands still before the first operation for
// which until holds.
func (w *World) PlayUntil(until func(*Proc, op) bool, script func(*Proc)) *Proc {
	return w.PlayPart(Part{Do: script}, until)
}

// PlayPart is PlayUntil for any kind of process.
func (w *World) PlayPart(part Part, until func(*Proc, op) bool) *Proc {
	was := w.free
	w.free = true
	p := w.spawn(part)
	p.until = until
	p.start(part.Do)
	p.resume()
	for p.state == asleep {
		w.wake(p)
		p.resume()
	}
	w.free = was
	return p
}

// Crash kills p, as the scheduler does, while the scene is set.
func (w *World) Crash(p *Proc) { w.kill(p) }

// plantDir makes a directory that is there before everything else.
func (w *World) plantDir(path string) {
	w.fs.MkdirAll(path, 0o755)
	dir, name, n := w.disk.at(path, nil)
	if n == nil {
		id := nodeID(2 + len(w.disk.nodes))
		w.disk.attach(dir, name, w.disk.add(id, w.disk.roles.get(dir.role, name), true, 0, began.UnixNano()))
	}
}
