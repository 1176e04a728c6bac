package explore

// maxProcs bounds the simulated processes of one world.
const maxProcs = 8

// object is what operations can depend on each other through.
type object struct {
	kind objectKind
	node nodeID
	name string
}

type objectKind uint8

const (
	entry    objectKind = iota // the name in the directory: what is there
	listing                    // the names of the directory as a whole
	exists                     // whether the directory can still be used
	data                       // contents of a file
	mode                       // mode of a file
	locks                      // flocks on a file
	lifetime                   // whether a process exists; node is its number
	section                    // marks that scripts set
)

// access is how an operation touches an object. Updates commute with each other
// and with nothing else: two names may be made in a directory in either order,
// but not across somebody's listing of it.
type access uint8

const (
	reads access = iota
	updates
	writes
)

func conflict(a, b access) bool { return a == writes || b == writes || a != b }

type touch struct {
	obj object
	how access
}

// clock counts, for each process, how many of its operations happened before.
type clock [maxProcs]int32

func (c *clock) join(o *clock) {
	for i, n := range o {
		c[i] = max(c[i], n)
	}
}

// past is how an object was touched so far: by each process last, and what all
// those operations had before them.
type past struct {
	last [3][maxProcs]lastTouch
	seen [3]clock
}

type lastTouch struct {
	step int32
	at   point
}

// races orders the operations of one run as far as they depend on each other
// (happened-before), and finds pairs whose order is mere chance: one of the two
// could have come first without any other operation being changed.
type races struct {
	clocks [maxProcs]clock
	past   map[object]*past
	// found is called for both kinds of every such pair.
	found func(point)
}

func newRaces(found func(point)) *races {
	return &races{past: map[object]*past{}, found: found}
}

// step takes an operation of proc into account.
func (r *races) step(proc int, at point, touches []touch) {
	before := r.clocks[proc]
	mine := &r.clocks[proc]
	mine[proc]++
	for _, t := range touches {
		p := r.past[t.obj]
		if p == nil {
			p = new(past)
			r.past[t.obj] = p
			continue
		}
		for how := reads; how <= writes; how++ {
			if conflict(how, t.how) {
				r.check(p, how, proc, &before, at)
				mine.join(&p.seen[how])
			}
		}
	}
	for _, t := range touches {
		p := r.past[t.obj]
		p.last[t.how][proc] = lastTouch{mine[proc], at}
		p.seen[t.how].join(mine)
	}
}

func (r *races) check(p *past, how access, proc int, before *clock, at point) {
	for other := range p.last[how] {
		l := &p.last[how][other]
		if other != proc && l.step > before[other] {
			r.found(l.at)
			r.found(at)
		}
	}
}
