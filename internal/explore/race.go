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
	wanted                     // whether a process still wants the lock; node is its number
	kinds                      // how many there are
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
	obj  object
	how  access
	slot int32 // where races keeps the past of obj
}

// clock counts, for each process, how many of its operations happened before.
type clock [maxProcs]int32

func (c *clock) join(o *clock) {
	for i, n := range o {
		c[i] = max(c[i], n)
	}
}

// past is which operation of each process touched an object last, in each way:
// an index into races.done, 0 for none.
type past [3][maxProcs]int32

// done is an operation that happened, and how much had to happen before it.
type done struct {
	at    point
	proc  int32
	clock clock
}

// races orders the operations of one run as far as they depend on each other
// (happened-before), and finds pairs whose order is mere chance: both orders
// leave everything between them as it was.
type races struct {
	clocks [maxProcs]clock
	all    []past // index 0 is of nothing
	done   []done
	// found is called for both kinds of every such pair.
	found func(point)
}

// reset begins a new run with the memory of the last one.
func (r *races) reset(found func(point)) *races {
	*r = races{all: append(r.all[:0], past{}), done: append(r.done[:0], done{}), found: found}
	return r
}

// slot is i, or a new one if there is none yet.
func (r *races) slot(i int32) int32 {
	if i == 0 {
		i = int32(len(r.all))
		r.all = append(r.all, past{})
	}
	return i
}

// step takes an operation of proc into account.
func (r *races) step(proc int, at point, touches []touch) {
	var before [maxProcs]int32 // the last operation of each process that this one depends on
	for _, t := range touches {
		p := &r.all[t.slot]
		for how := reads; how <= writes; how++ {
			if !conflict(how, t.how) {
				continue
			}
			for other, i := range p[how] {
				if other != proc {
					before[other] = max(before[other], i)
				}
			}
		}
	}
	mine := &r.clocks[proc]
	r.check(mine, before, at)
	for _, i := range before {
		if i > 0 {
			mine.join(&r.done[i].clock)
		}
	}
	mine[proc]++
	r.done = append(r.done, done{at, int32(proc), *mine})
	now := int32(len(r.done) - 1)
	for _, t := range touches {
		r.all[t.slot][t.how][proc] = now
	}
}

// check finds those in before that nothing else orders: neither what the process
// did earlier, nor another one in before.
func (r *races) check(mine *clock, before [maxProcs]int32, at point) {
	for other, i := range before {
		if i == 0 {
			continue
		}
		step := r.done[i].clock[other]
		chance := step > mine[other]
		for third, j := range before {
			if j > 0 && third != other && r.done[j].clock[other] >= step {
				chance = false
			}
		}
		if chance {
			r.found(r.done[i].at)
			r.found(at)
		}
	}
}
