package main

import "math"

// tellings: a holder that lost its generation is told so (I16), and nobody is told so
// who did not lose it.
func (f *facts) tellings() {
	for _, t := range f.tenures {
		if t.enter.Old {
			continue
		}
		if t.broke != nil && t.released != nil && t.released.Since > t.broke.At && t.released.Text == "ok" {
			f.broken("a broken generation was released as if it were held", &t.enter, t.broke, t.released)
		}
		said := t.lost
		if said == nil && t.released != nil && t.released.Text == "lost" {
			said = t.released
		}
		if said == nil || f.keys[t.enter.Key].Old != "" && f.keys[t.enter.Key].Hold {
			continue // an old program may have taken the old lock
		}
		if t.breaking == nil || t.breaking.At > said.At {
			f.broken("a lock was reported as lost that nobody took", &t.enter, said, t.breaking)
		}
	}
}

// publications: nothing is published once the generation was retired (I28).
func (f *facts) publications() {
	next := make(map[string][]*tenure)
	for _, t := range f.tenures {
		next[t.enter.Key] = append(next[t.enter.Key], t)
	}
	for _, t := range f.tenures {
		p := t.published
		if p == nil {
			continue
		}
		if t.broke != nil && p.Since > t.broke.At {
			f.broken("a broken generation published", &t.enter, t.broke, p)
		}
		for _, s := range next[t.enter.Key] {
			seen := !s.enter.Old || f.keys[t.enter.Key].Hold
			// One that was broken before it knew that it held the lock may be
			// a predecessor.
			seen = seen && !(s.breaking != nil && s.breaking.At < s.enter.At)
			if s != t && seen && s.enter.At > t.enter.At && s.enter.At < p.Since {
				f.broken("a generation published after its successor had entered", &t.enter, &s.enter, p)
				break
			}
		}
	}
}

// readings: an artifact is whole (I30), somebody built it, and what is adopted is
// there (I31).
func (f *facts) readings() {
	begun := make(map[string]int64)
	removed := make(map[string][]event)
	for _, e := range f.all {
		switch e.What {
		case publishing:
			begun[e.Gen] = e.At
		case removing:
			removed[e.Key] = append(removed[e.Key], e)
		}
	}
	for i := range f.all {
		e := &f.all[i]
		switch e.What {
		case torn:
			f.broken("an artifact is not whole", e)
		case adopted:
			if at, ok := begun[e.Gen]; !ok || at > e.At {
				f.broken("an artifact is there that nobody had built", e)
			}
		case missing:
			if !f.removedWithin(removed[e.Key], e.Since, e.At) {
				f.broken("what was adopted is not there, and nobody removed it", e)
			}
		}
	}
}

// removedWithin: a removal may take a while after it was announced, until its holder
// leaves.
func (f *facts) removedWithin(removals []event, since, at int64) bool {
	for _, e := range removals {
		end := int64(math.MaxInt64)
		if t := f.of[e.Gen]; t != nil {
			end = t.end
		}
		if e.At < at && since < end {
			return true
		}
	}
	return false
}

// errors: what is neither an honest no nor a loss needs a spoilt disk (I21).
func (f *facts) errors() {
	var spoilt []event
	for _, e := range f.all {
		if e.What == fault {
			spoilt = append(spoilt, e)
		}
	}
	excusable := func(e *event) bool {
		if k := f.keys[e.Key]; k != nil && !k.Frail && !k.ArtifactFrail {
			return false
		}
		for _, s := range spoilt {
			if s.Since < e.At && e.Since < s.At {
				return true
			}
		}
		return false
	}
	for i := range f.all {
		e := &f.all[i]
		bad := e.What == odd || e.failedRelease()
		if bad && !excusable(e) {
			f.broken("an error without a cause", e)
		}
	}
}
