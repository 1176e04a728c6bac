// Package oldprograms emulates the programs whose locks package legacy deals with,
// operation by operation and mistakes included, as their installed code reads:
//
//	Mkdir      ttsc 0.18.4
//	V2         ttsc 0.30.4
//	Heartbeat  proper-lockfile 4.1.2
//	Token      segreant 0.2, from the facts in docs/protocol.md alone
//
// It is for tests: every step goes through a vfs.FS, so that a test can stop a
// program between any two of them. Where the real programs can run, they decide
// what is right (see the tests of package legacy).
package oldprograms

import (
	"time"

	"genlock.dev/genlock/internal/vfs"
)

// Self is one process of an old program.
type Self struct {
	FS   vfs.FS
	Host string
	PID  int
	// Now is the clock, Alive what signal 0 says.
	Now   func() time.Time
	Alive func(pid int) bool
	// NewID returns 32 fresh hex digits.
	NewID func() string
}

// Program is one process that wants the lock. It is used by one goroutine.
type Program interface {
	// Try is one turn of the program's own loop: it takes the lock if nobody
	// has it, or clears away what its rules take for abandoned. It says
	// whether it holds the lock now. An error is what the program throws.
	Try(lock string) (bool, error)
	// Release is what the program does when it is done.
	Release(lock string) error
}
