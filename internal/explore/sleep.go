package explore

import "slices"

// Sleep sets (Godefroid). When two moves are independent, doing them in either order
// leads to the same state. After the search has explored the one order, the
// first move is put to sleep while the other is explored: it need not be made
// again until something happens that it depends on. All states are still
// reached; only steps that lead to known ones are saved.

// moveSet is a set of moves as bits.
type moveSet uint64

func bit(a action) moveSet {
	n := a.proc * 8
	switch {
	case a.crash:
		n++
	case a.fault > 0:
		n += 1 + a.fault
	}
	return 1 << n
}

func (m moveSet) among(options []action) (list []action) {
	for _, a := range options {
		if m&bit(a) != 0 {
			list = append(list, a)
		}
	}
	return list
}

// sleeper is a move, and what it touched when it was made.
type sleeper struct {
	move    action
	touches []touch
	// woke: it woke a sleeping process. changed: it changed something, by
	// which sleepers are woken.
	woke, changed bool
}

func (s sleeper) keep() sleeper {
	s.touches = slices.Clone(s.touches)
	return s
}

func (s sleeper) dependsOn(o sleeper) bool {
	switch {
	case s.move.proc == o.move.proc:
		return true
	case s.move.crash && o.move.crash, s.move.fault > 0 && o.move.fault > 0:
		return true // there may be none left for the other one
	case s.woke && o.changed, s.changed && o.woke:
		return true
	}
	for _, a := range s.touches {
		for _, b := range o.touches {
			if a.obj == b.obj && conflict(a.how, b.how) {
				return true
			}
		}
	}
	return false
}

// sleepSet is the moves that are asleep.
type sleepSet []sleeper

func (s sleepSet) moves() (m moveSet) {
	for _, z := range s {
		m |= bit(z.move)
	}
	return m
}

func (s sleepSet) has(a action) bool { return s.moves()&bit(a) != 0 }

func (s sleepSet) awake(options []action) []action {
	m := s.moves()
	return slices.DeleteFunc(slices.Clone(options), func(a action) bool { return m&bit(a) != 0 })
}

func (s sleepSet) within(m moveSet) (list sleepSet) {
	for _, z := range s {
		if m&bit(z.move) != 0 {
			list = append(list, z)
		}
	}
	return list
}

// after is what still sleeps after a move. Nothing does when time had to pass for
// it: who moves then depends on nobody else being able to.
func (s sleepSet) after(done sleeper, inTime bool) (list sleepSet) {
	if !inTime {
		return nil
	}
	for _, z := range s {
		if !z.dependsOn(done) {
			list = append(list, z)
		}
	}
	return list
}
