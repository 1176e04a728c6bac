package explore

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs/memfs"
)

// errDead is what a dead process gets for everything it asks for. Its goroutine
// runs on into its error paths, so that nothing of it is left in this program,
// and reaches nothing of the simulated world.
var errDead = errors.New("the simulated process is dead")

// unwound ends the script of a dead process.
type unwound struct{}

// state is what the scheduler knows of a process.
type state uint8

const (
	ended  state = iota // its script is over; the process lives on, idle
	ready               // before its next operation
	unborn              // until its parent starts it
	asleep              // until something changes, or nobody else can run
	killed
)

// Proc is one simulated process: a coroutine that runs the real code in a world
// of its own and gives way before its operations.
type Proc struct {
	w    *World
	n    int // from 1
	name string
	fs   *memfs.Process
	env  *env.Env
	ctx  context.Context
	self self

	script func(*Proc)
	co     *coro // while the script runs
	state  state
	child  bool // started by another process
	dead   bool // no operation has an effect any more
	// narrow: it stands at a point where only its own crash is an
	// alternative to going on.
	narrow bool

	until   func(*Proc, op) bool // see Part
	doing   op
	touches []touch
	fault   fault
	// history stands for everything the process ever learned, and so for its
	// local state: it is deterministic.
	history uint64
	// open stands for the directories that it has open, retired counts the
	// generations it retired, calls the steps of its script.
	open    uint64
	retired int
	calls   int
	dirty   bool // changed something since it last gave way
	now     time.Time
	made    uint32 // files
	ids     int
	wakes   int
	idle    int   // wakes because nobody else could run
	saw     int   // World.effects when it last woke
	slot    int32 // of its life, see races
	after   int   // operations asked for after death

	locked []*file
	leases []*genlock.Lease
	marks  marks

	// cancel ends what it waits for, if that may happen.
	cancel     context.CancelFunc
	cancelled  bool
	wantedSlot int32

	old *oldProcess // it runs an old program
	// displaced is an old lock that it moved by mistake, and not back yet.
	displaced *node
	// forgot is its own old lock that it released while ours had moved it away.
	forgot *node
	// robbed is how an old program took its old lock away, by its place.
	robbed robbed
}

// start gives the process its script. It runs up to its first scheduling point when
// it is resumed for the first time.
func (p *Proc) start(script func(*Proc)) {
	p.state, p.script = ready, script
	if p.child {
		p.state = unborn
	}
}

// run ends with what a process does that has been idle for a moment: it gives up what
// it kept for a next turn.
func (p *Proc) run() {
	defer p.finish()
	p.script(p)
	p.env.CloseKept()
}

// finish ends the script, however it ended. A panic is a finding, too.
func (p *Proc) finish() {
	r := recover()
	if _, ok := r.(unwound); !ok && r != nil && !p.dead {
		p.w.fail("no panic", "%s panics: %v\n%s", p.name, r, debug.Stack())
	}
	if !p.dead {
		p.state = ended
		p.settle(0)
	}
}

// resume lets the process run until it gives way or ends.
func (p *Proc) resume() {
	if p.co == nil {
		p.co = p.w.know.coros.take(p.run)
	}
	p.co.next()
	if p.co.idle {
		p.w.know.coros.put(p.co)
		p.co = nil
	}
}

// begin is called before every operation. False means that the process is dead
// and the operation must not happen.
func (p *Proc) begin(o op) bool {
	if p.dead {
		if p.after++; p.after > 100_000 {
			panic(unwound{})
		}
		return false
	}
	p.doing, p.touches = o, p.touches[:0]
	p.touchWanted(reads)
	p.fault = fault{}
	if p.marks.untilStage && o.verb == vMkdir && strings.HasPrefix(o.name, "stage-") {
		p.w.leave(p)
		return false
	}
	switch {
	case p.w.isPoint(p, o):
		p.narrow = false
		p.giveWay()
	case p.dirty && p.w.crashes > 0 && !p.w.free && changes(o.verb):
		p.narrow = true
		p.giveWay()
	}
	if always := p.w.sc.Always; always != nil && p.fault.err == nil {
		p.fault = always(p, o)
	}
	return !p.dead
}

func (p *Proc) giveWay() {
	p.dirty = false
	p.co.yield(struct{}{})
	p.narrow = false
}

// changes tells whether operations of this kind change what others see.
func changes(v verb) bool {
	switch v {
	case vMkdir, vCreate, vTruncate, vWrite, vFlock, vChmod, vRename, vRemove, vRmdir, vClose, vTouch:
		return true
	}
	return false
}

// touch notes that the current operation depends on something of n.
func (p *Proc) touch(kind objectKind, n *node, name string, how access) {
	slot := &n.slots[kind]
	if kind == entry {
		i := p.w.races.slot(n.entries[name])
		if n.entries == nil {
			n.entries = map[string]int32{}
		}
		n.entries[name] = i
		slot = &i
	}
	*slot = p.w.races.slot(*slot)
	p.touches = append(p.touches, touch{object{kind, n.id, name}, how, *slot})
}

// touchLife is about whether q lives, touchSection about the work under the lock.
func (p *Proc) touchLife(q *Proc, how access) {
	q.slot = p.w.races.slot(q.slot)
	p.touches = append(p.touches, touch{object{kind: lifetime, node: nodeID(q.n)}, how, q.slot})
}

func (p *Proc) touchSection() {
	p.w.section = p.w.races.slot(p.w.section)
	p.touches = append(p.touches, touch{object{kind: section}, writes, p.w.section})
}

// end is called after every operation with what came of it.
func (p *Proc) end(changed bool, result uint64) {
	p.history = mix(p.history, result+uint64(p.doing.verb))
	p.w.races.step(p.n, p.doing.at, p.touches)
	p.w.did(p, changed)
}

// settle forgets how the process came to where it is, when nothing but what is
// mixed in here can matter for what it does next.
func (p *Proc) settle(outcome uint64) {
	h := mix(uint64(p.calls)<<32|uint64(p.retired), uint64(p.ids)<<32|uint64(p.made))
	p.history = mix(mix(h, uint64(p.now.UnixNano())), mix(p.open, outcome))
}

// failed is end for an operation that did not happen: its touches were looks.
func (p *Proc) failed(err error) error {
	for i := range p.touches {
		p.touches[i].how = reads
	}
	p.touches = slices.DeleteFunc(p.touches, func(t touch) bool { return t.obj.kind == listing && t.obj.name == "" && p.isParent(t.obj.node) })
	p.end(false, resultOf(err))
	return err
}

// isParent tells whether the listing of n was touched only because a name in it
// was to change.
func (p *Proc) isParent(n nodeID) bool {
	for _, t := range p.touches {
		if t.obj.kind == entry && t.obj.node == n {
			return true
		}
	}
	return false
}
