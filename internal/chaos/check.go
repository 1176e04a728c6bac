package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// violation is a broken promise, with the events that show it.
type violation struct {
	Rule     string
	Evidence []event
}

func (v violation) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, v.Rule)
	for _, e := range v.Evidence {
		fmt.Fprintln(&b, "    ", e)
	}
	return b.String()
}

// tenure is what the history tells of one generation, or of one turn of an old
// program. It was held for certain from its first moment to its end: acquiring
// had returned, and neither releasing nor the kill of its holder had begun.
type tenure struct {
	enter     event
	end       int64
	killed    bool // its end is the kill of its holder
	left      *event
	breaking  *event // the first
	broke     *event // the first that reported success
	lost      *event
	released  *event
	published *event
}

// facts is a history in an order that one can ask.
type facts struct {
	keys    map[string]*key
	all     []event
	tenures []*tenure
	of      map[string]*tenure // by generation
	found   []violation
}

// check says what in a history breaks a promise. The order of the events does not
// matter.
func check(keys []*key, all []event) []violation {
	f := &facts{keys: make(map[string]*key), all: slices.Clone(all), of: make(map[string]*tenure)}
	slices.SortStableFunc(f.all, func(a, b event) int { return cmp.Compare(a.At, b.At) })
	for _, k := range keys {
		f.keys[k.Name] = k
	}
	f.gather()
	f.overlaps()
	f.insides()
	f.tellings()
	f.publications()
	f.readings()
	f.errors()
	return f.found
}

func (f *facts) broken(rule string, evidence ...*event) {
	v := violation{Rule: rule}
	for _, e := range evidence {
		if e != nil {
			v.Evidence = append(v.Evidence, *e)
		}
	}
	f.found = append(f.found, v)
}

func (f *facts) gather() {
	for i := range f.all {
		if e := &f.all[i]; e.What == enter {
			if other := f.of[e.Gen]; other != nil {
				f.broken("a generation was acquired twice", &other.enter, e)
				continue
			}
			t := &tenure{enter: *e, end: math.MaxInt64}
			f.of[e.Gen] = t
			f.tenures = append(f.tenures, t)
		}
	}
	ended := make(map[string]int64) // the last sign of a command, by generation
	for i := range f.all {
		e := &f.all[i]
		if e.What == kill {
			f.kill(e)
			continue
		}
		t := f.of[e.Gen]
		if e.What == breaking && t == nil {
			// Killed between the acquisition and its note.
			continue
		}
		if t == nil {
			continue
		}
		first := func(place **event) {
			if *place == nil {
				*place = e
			}
		}
		switch e.What {
		case leave:
			first(&t.left)
			t.end, t.killed = e.At, false
		case done:
			ended[e.Gen] = e.At
		case breaking:
			first(&t.breaking)
		case broke:
			first(&t.broke)
		case lost:
			first(&t.lost)
		case released:
			first(&t.released)
		case published:
			first(&t.published)
		}
	}
	for gen, at := range ended {
		// A command that outlives its holder keeps the generation.
		if t := f.of[gen]; t.killed && at > t.end {
			t.end = at
		}
	}
}

// kill ends what its victims held.
func (f *facts) kill(e *event) {
	for _, t := range f.tenures {
		if within(t.enter.Who, e.Who) && t.end > e.At {
			t.end, t.killed = e.At, true
		}
	}
}

// within tells whether who dies when house is killed.
func within(who, house string) bool { return who == house || strings.HasPrefix(who, house+"/") }

// overlaps: at no time do two hold the same lock (I4), whatever was stopped, unless
// an operator broke the first one (I32) or an old program broke its own rules (I40).
func (f *facts) overlaps() {
	byKey := make(map[string][]*tenure)
	for _, t := range f.tenures {
		byKey[t.enter.Key] = append(byKey[t.enter.Key], t)
	}
	for _, ts := range byKey { // in the order of their entering
		var open []*tenure
		for _, second := range ts {
			open = slices.DeleteFunc(open, func(t *tenure) bool { return t.end <= second.enter.At })
			for _, first := range open {
				if !f.excused(first, second) {
					f.broken("two held the lock at once", &first.enter, &second.enter, first.left, second.left, first.breaking, first.lost, first.released)
				}
			}
			open = append(open, second)
		}
	}
}

// excused says why two tenures may overlap, the second having entered last.
func (f *facts) excused(first, second *tenure) bool {
	switch a, b := first.enter.Old, second.enter.Old; {
	case a && b:
		return true // theirs
	case !a && !b:
		// Either may have been broken: the one that entered last perhaps before
		// it knew that it held the lock.
		at := second.enter.At
		return first.brokenBy(at) || second.brokenBy(at)
	case !f.keys[first.enter.Key].Hold:
		// Old programs do not see ours, and ours does not take it from a live
		// one that was there from before ours began to look.
		return b || second.enter.Since <= first.enter.At
	case a:
		return second.told()
	default:
		return first.told()
	}
}

// brokenBy: an operator had begun to break it by then, and whatever it has asked or
// published since has told it so.
func (t *tenure) brokenBy(since int64) bool {
	return t.breaking != nil && t.breaking.At < since && !(t.released != nil && t.released.Since > since && t.released.Text == "ok") &&
		!(t.published != nil && t.published.Since > since)
}

// told: the holder learned that it lost its old lock, or died before it could.
func (t *tenure) told() bool {
	return t.lost != nil || t.released != nil && t.released.Text == "lost" || t.killed || t.left == nil
}

// insides are overlaps that the section's own lock saw.
func (f *facts) insides() {
	for i := range f.all {
		e := &f.all[i]
		if e.What != inside {
			continue
		}
		second, first := f.of[e.Gen], f.of[e.Other]
		if second == nil {
			continue
		}
		if first == nil {
			// Whoever it was had not yet written its name: killed there, or lost.
			if !f.disturbed(e.Key, e.At) {
				f.broken("somebody nameless was in the section", e, &second.enter)
			}
			continue
		}
		if first.killed && first.end <= e.At {
			continue // the kernel closes a dead one's files in no particular order
		}
		if first.enter.At > second.enter.At {
			first, second = second, first
		}
		if !f.excused(first, second) {
			f.broken("somebody else was in the section", e, &first.enter, &second.enter)
		}
	}
}

func (f *facts) disturbed(key string, at int64) bool {
	return slices.ContainsFunc(f.tenures, func(t *tenure) bool {
		return t.enter.Key == key && t.enter.At < at && (t.killed || t.breaking != nil || t.enter.Old)
	}) || slices.ContainsFunc(f.all, func(e event) bool { return e.What == kill && e.At < at })
}
