package genlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/artifact"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// Sentinels for errors.Is. The typed errors carry the facts.
var (
	// ErrHeld: somebody else holds the lock. See *HeldError.
	ErrHeld = generation.ErrHeld
	// ErrLost: the lease's generation was retired by somebody else, or the
	// lock's directory was deleted. Nothing may be published any more.
	ErrLost = generation.ErrLost
	// ErrRootMoved comes with ErrLost when nobody retired the generation, and
	// the lock's directory was deleted or moved away instead.
	ErrRootMoved = generation.ErrRootMoved
	// ErrReleased: the lease was released before.
	ErrReleased = errors.New("the lease is released")
	// ErrFormat and ErrTooNew: see *FormatError.
	ErrFormat = protocol.ErrFormat
	ErrTooNew = protocol.ErrTooNew
	// ErrNotRoot: a directory that is no lock stands in the lock's place.
	ErrNotRoot = protocol.ErrNotRoot
	// ErrUnsafePath: a link or an odd file type stands in the way.
	ErrUnsafePath = protocol.ErrUnsafePath
	// ErrUsage: the caller's own input cannot be right.
	ErrUsage = protocol.ErrUsage
	// ErrQuarantined: a command of the holder may still run and nobody can tell.
	ErrQuarantined = retire.ErrQuarantined
	// ErrNested: the same call chain holds the lock already. See *NestedError.
	ErrNested = errors.New("the lock is held by the same call chain")
	// ErrNoArtifact: the build ended well but made no artifact.
	ErrNoArtifact = artifact.ErrNoArtifact
	// ErrUnverified: the build ended well, and Artifact.Verify refuses what it
	// made. Nothing was published.
	ErrUnverified = errors.New("what was built fails verification")
	// ErrExists: the artifact exists and may not be replaced.
	ErrExists = artifact.ErrExists
)

// FormatError says which lock format was found and which one was wanted.
type FormatError = protocol.FormatError

// HeldError says who holds the lock, whether the holder is alive, and what to do.
// It matches ErrHeld. After an expired wait it matches
// context.DeadlineExceeded as well.
type HeldError struct {
	Lock string
	// Seen is the last look; nil when a goroutine of this process holds it.
	Seen *observer.Observation
	// Waited is how long the caller waited.
	Waited time.Duration
	// Cause is why the wait ended; nil when there was none.
	Cause error
	at    time.Time
}

func (e *HeldError) Error() string {
	s := "lock " + e.Lock + " is held"
	if e.Seen != nil {
		s = "lock " + e.Lock + " " + e.Seen.Describe(e.at)
	}
	if e.Seen != nil && e.Seen.State == observer.Free {
		s = "lock " + e.Lock + " changed hands at every try"
	}
	switch {
	case errors.Is(e.Cause, errPerHolder):
		s += fmt.Sprintf("; gave up on this holder after %s", round(e.Waited))
	case errors.Is(e.Cause, context.DeadlineExceeded):
		s += fmt.Sprintf("; gave up after %s", round(e.Waited))
	case e.Cause != nil:
		s += "; " + e.Cause.Error()
	}
	return s
}

// Unwrap gives ErrHeld and the cause.
func (e *HeldError) Unwrap() []error {
	if e.Cause == nil {
		return []error{ErrHeld}
	}
	return []error{ErrHeld, e.Cause}
}

// perHolderError is context.DeadlineExceeded for one holder instead of all.
type perHolderError struct{}

func (perHolderError) Error() string        { return "the time for one holder is over" }
func (perHolderError) Is(target error) bool { return target == context.DeadlineExceeded }

var errPerHolder error = perHolderError{}

// NestedError names the chain of locks that leads to the lock asked for.
type NestedError struct {
	Lock       string
	Generation protocol.ID
	Chain      []string // lock paths, outermost first
}

func (e *NestedError) Error() string {
	s := "lock " + e.Lock + " is held by the command that started this one"
	for i, l := range e.Chain {
		if i == 0 {
			s += " (chain: " + l
		} else {
			s += " -> " + l
		}
	}
	if len(e.Chain) > 0 {
		s += ")"
	}
	return s + "; waiting for it would never end"
}

// Is matches ErrNested.
func (e *NestedError) Is(target error) bool { return target == ErrNested }

// BuildFailedError is what a build function's error becomes, with the generation
// that failed. It unwraps to the function's own error.
type BuildFailedError struct {
	Lock       string
	Generation protocol.ID
	Exit       int // -1 without an exit status
	Err        error
}

func (e *BuildFailedError) Error() string { return e.Err.Error() }

// Unwrap gives the build function's error.
func (e *BuildFailedError) Unwrap() error { return e.Err }

func round(d time.Duration) time.Duration {
	if d >= time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}
