package genlock

import (
	"context"
	"errors"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/vfs"
)

// The root of a lock stays open for a moment after a turn, so that the next turn
// need not open it anew, which would cost as much as half a turn does.

// CloseIdle gives up what this process keeps for the next turn of a lock for which
// there may be one at once: open directories, and the directory of a generation that
// was released. All of that ends by itself 50 ms after its last use. Call it before the
// process exits after turns in quick succession, or what was kept is left to the next
// collection; and before a file system is unmounted. Leases and waits are not touched.
func CloseIdle() { env.From(context.Background()).CloseKept() }

// take takes the root that an earlier turn left, if opening it anew would find the
// same now.
func (a *attempt) take() bool {
	for {
		root, ok := a.env.Take(a.lock.key).(*fence.Root)
		if !ok {
			return false
		}
		if seal.Open(root).Fresh() {
			a.root = root
			return true
		}
		root.Close()
	}
}

// shelve leaves the root, if there is one, to the next turn.
func (a *attempt) shelve() {
	if a.root != nil {
		keep(a.env, a.lock, a.root)
		a.root = nil
	}
}

// keep leaves a root that nobody uses any more to the next turn, or closes it.
func keep(e *env.Env, l *Lock, root *fence.Root) {
	if r := seal.Open(root); r.Keepable() {
		r.Kept = true
		e.Keep(l.key, root)
	} else {
		root.Close()
	}
}

// locate finds out which lock this is, and has its root if an earlier turn left it.
func (a *attempt) locate(ctx context.Context) (err error) {
	if !a.take() {
		a.at, err = placeOf(ctx, a.lock)
		return err
	}
	id, err := seal.Open(a.root).ParentID()
	a.at = placeIn(a.lock, a.env, id)
	return err
}

// open opens the root when it is needed, now that it is our turn.
func (a *attempt) open(ctx context.Context) (err error) {
	if a.root == nil && !a.take() {
		err = vfs.Again(func() (err error) {
			a.root, err = generation.OpenOrInit(ctx, a.lock.path, a.lock.options.Format)
			return err
		})
	}
	if err == nil && a.wait && a.waiter.line == nil {
		a.waiter.opened(a.root)
	}
	return err
}

// reopen gives up the handle of a root that was moved or deleted. It returns nil
// when looking again at the new one can help.
func (a *attempt) reopen(cause error) error {
	if !vfs.IsVanished(cause) && !errors.Is(cause, generation.ErrRootMoved) {
		return cause
	}
	a.waiter.line.Leave()
	a.waiter.line = nil
	a.root.Close()
	a.root, a.why = nil, cause
	return nil
}
