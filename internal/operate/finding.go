package operate

import "genlock.dev/genlock/observer"

// Finding is one thing that is wrong, or odd enough to be told.
type Finding struct {
	Schema int `json:"schema"`
	// Kind is the finding in one word: a state of a lock, or old-lock,
	// stopped, child-only, litter, tombstone, permissions, flock or clock.
	Kind string `json:"finding"`
	// Lock is the lock's absolute path; empty when it is about no single one.
	Lock string `json:"lock,omitempty"`
	// Path is where to look.
	Path string `json:"path"`
	// What it is, in one sentence.
	What string `json:"what"`
	// Evidence is how that is known.
	Evidence string `json:"evidence"`
	// Safe: nothing gets worse when nobody does anything about it. Ignore says
	// why, or what happens.
	Safe   bool   `json:"safe_to_ignore"`
	Ignore string `json:"ignore"`
	// Mend is the command to type, after a condition and a colon if there is one.
	Mend string `json:"mend"`
}

func quote(path string) string { return observer.Quote(path) }
