package faultfs

import (
	"errors"
	"io/fs"
	"os"
)

// fault is an instruction in the place of an error.
type fault struct {
	kind  faultKind
	limit int
	err   error
}

type faultKind int

const (
	happened faultKind = iota
	partial
	pretended
)

func (f *fault) Error() string {
	if f.err == nil {
		return "injected fault"
	}
	return "injected fault: " + f.err.Error()
}

func (f *fault) Unwrap() error { return f.err }

// Happened makes Before do the operation and then report err: a server's answer
// got lost. If the operation itself fails, its own error is reported. What an
// open opened is closed again.
func Happened(err error) error { return &fault{kind: happened, err: err} }

// Partial makes Before move at most n bytes in a read or write, or list at most
// n names, and then report err. A nil err is a short read, whose n should be at
// least 1, since 0 bytes without an error say nothing; a write of less than
// everything should have an error. For other verbs it is Happened.
func Partial(n int, err error) error { return &fault{kind: partial, limit: n, err: err} }

// Pretend makes Before do nothing and report success, as a disk does that lies
// about a sync, or a file system without locks about a flock. An operation that
// has something to return (an open, a stat, a read, a listing) happens.
func Pretend() error { return &fault{kind: pretended} }

// unlimited is the limit of an operation that does all it was asked to.
const unlimited = -1

// do runs an operation that has something to return.
func (f *FS) do(op Op, call func() error) error {
	return f.run(op, false, func(int) error { return call() })
}

// act runs an operation that has nothing to return but an error.
func (f *FS) act(op Op, call func() error) error {
	return f.run(op, true, func(int) error { return call() })
}

func (f *FS) run(op Op, canPretend bool, call func(limit int) error) error {
	op.N = int(f.count.Add(1))
	err := f.decide(op, canPretend, call)
	if f.hooks.After != nil {
		f.hooks.After(op, err)
	}
	return err
}

func (f *FS) decide(op Op, canPretend bool, call func(limit int) error) error {
	var verdict error
	if f.hooks.Before != nil {
		verdict = f.hooks.Before(op)
	}
	if verdict == nil {
		return call(unlimited)
	}
	var instead *fault
	if !errors.As(verdict, &instead) {
		if op.Verb == Close {
			return firstOf(call(unlimited), op.shape(verdict))
		}
		return op.shape(verdict)
	}
	switch {
	case instead.kind == pretended && canPretend && op.Verb != Close:
		return nil
	case instead.kind == pretended:
		return call(unlimited)
	case instead.kind == partial:
		return firstOf(call(instead.limit), op.shape(instead.err))
	}
	return firstOf(call(unlimited), op.shape(instead.err))
}

func firstOf(own, injected error) error {
	if own != nil {
		return own
	}
	return injected
}

// shape gives err the form that operations of package vfs have.
func (o Op) shape(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil || errors.As(err, &path) || errors.As(err, &link):
		return err
	case o.Verb == Rename:
		return &os.LinkError{Op: o.Verb, Old: o.Path, New: o.To, Err: err}
	}
	return &fs.PathError{Op: o.Verb, Path: o.Path, Err: err}
}
