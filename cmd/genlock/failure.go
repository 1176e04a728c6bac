package main

import (
	"fmt"

	"genlock.dev/genlock"
)

// aboutError is an error about one lock, which hints name as it can be pasted.
type aboutError struct {
	lock string // absolute path
	err  error
}

func (e *aboutError) Error() string { return e.err.Error() }
func (e *aboutError) Unwrap() error { return e.err }

// about says which lock err is about; of several locks the error says it itself.
func about(err error, locks ...*genlock.Lock) error {
	if err == nil || len(locks) != 1 {
		return err
	}
	return &aboutError{locks[0].Path(), err}
}

// usageError is a call that cannot be right.
type usageError struct{ what, hint string }

func (e *usageError) Error() string { return e.what }

func usagef(format string, args ...any) error { return &usageError{what: fmt.Sprintf(format, args...)} }

// stateError is a lock that is not in the state the operator takes it for.
type stateError struct{ what, hint string }

func (e *stateError) Error() string { return e.what }

// commandError is how CMD ended, if not well.
type commandError struct {
	status int
	why    string
}

func (e *commandError) Error() string { return e.why }

// ExitStatus is what the library records about the failed tenure.
func (e *commandError) ExitStatus() int { return e.status }

// startError is a CMD that could not be started.
type startError struct {
	status int
	name   string
	err    error
}

func (e *startError) Error() string   { return fmt.Sprintf("cannot run %s: %v", e.name, e.err) }
func (e *startError) Unwrap() error   { return e.err }
func (e *startError) ExitStatus() int { return e.status }
