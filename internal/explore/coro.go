package explore

import "iter"

// coro is a coroutine that runs one job after the other: its stack has grown to
// what the code under test needs, and stays.
type coro struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	job   func()
	idle  bool
}

// coros are the coroutines that no process uses now.
type coros struct{ free []*coro }

func (cs *coros) take(job func()) *coro {
	if last := len(cs.free) - 1; last >= 0 {
		c := cs.free[last]
		cs.free = cs.free[:last]
		c.job, c.idle = job, false
		return c
	}
	c := &coro{job: job}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		for {
			c.job()
			c.job, c.idle = nil, true
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return c
}

func (cs *coros) put(c *coro) { cs.free = append(cs.free, c) }

// close ends them all.
func (cs *coros) close() {
	for _, c := range cs.free {
		c.stop()
	}
	cs.free = nil
}
