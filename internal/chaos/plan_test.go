package main

import (
	"fmt"
	"testing"
)

// TestSameSeedSamePlan: the seed decides the locks and what each worker does, and
// another seed, another round and another worker do something else.
func TestSameSeedSamePlan(t *testing.T) {
	drawn := func(seed uint64, round int, who string) string {
		p := &plan{Seed: seed, Round: round, Solid: "solid", Frail: "frail"}
		p.drawKeys(6)
		text := ""
		for _, k := range p.Keys {
			text += fmt.Sprintf("%+v\n", *k)
		}
		r := p.source(who)
		for range 100 {
			turn := p.draw(r)
			text += fmt.Sprintln(turn.verb, turn.key.Name, turn.hold, turn.wait, turn.size, turn.budget)
		}
		return text
	}
	first := drawn(1, 0, "w0.0")
	if drawn(1, 0, "w0.0") != first {
		t.Error("the same seed draws another plan")
	}
	for name, other := range map[string]string{"seed": drawn(2, 0, "w0.0"), "round": drawn(1, 1, "w0.0"), "worker": drawn(1, 0, "w1.0"), "life": drawn(1, 0, "w0.1")} {
		if other == first {
			t.Errorf("another %s draws the same plan", name)
		}
	}
}

// TestEveryVerbIsDrawn: a hundred turns for each of its weight show every verb.
func TestEveryVerbIsDrawn(t *testing.T) {
	p := &plan{Seed: 1}
	p.drawKeys(3)
	r, seen := p.source("w0.0"), make(map[verb]bool)
	for range 20000 {
		seen[p.draw(r).verb] = true
	}
	for _, v := range verbs {
		if !seen[v.verb] {
			t.Errorf("%s never comes", v.verb)
		}
	}
}
