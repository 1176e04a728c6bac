package main

import (
	"slices"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// reporter tells people or programs what happens. Nothing it cannot write matters
// to the lock: errors of writing are ignored.
type reporter interface {
	event(genlock.Event)
	// every is how often a wait is to be told of; 0 is the default.
	every() time.Duration
	exit(outcome)
}

// schedule says when a line about a wait is due: after a second, then ever less
// often.
type schedule struct{ told int }

var dueAt = []time.Duration{time.Second, 10 * time.Second, 30 * time.Second}

const dueEvery = time.Minute

// seldom is often enough for what is due.
const seldom = 10 * time.Second

// due tells whether a line is due after waiting so long. It says so once for each.
func (s *schedule) due(waited time.Duration) bool {
	passed := 0
	for _, d := range dueAt {
		if waited >= d {
			passed++
		}
	}
	passed += int(waited / dueEvery)
	if passed <= s.told {
		return false
	}
	s.told = passed
	return true
}

// waitBounds are the limits that the caller put on waiting.
type waitBounds struct{ total, perHolder time.Duration }

// told remembers of which generations something was told already.
type told []protocol.ID

// first tells whether this is the first time, and remembers it.
func (t *told) first(id protocol.ID) bool {
	if slices.Contains(*t, id) {
		return false
	}
	*t = append(*t, id)
	return true
}
