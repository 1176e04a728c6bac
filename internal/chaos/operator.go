//go:build unix

package main

import (
	"context"
	"errors"
	"path/filepath"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// breakHolder is an operator who breaks whoever holds the lock, dead or alive.
func (w *worker) breakHolder(ctx context.Context, t turn) {
	since, k := now(), t.key
	seen, err := observer.Look(ctx, k.Lock, protocol.Format(k.Format))
	if err != nil || seen.Generation == "" {
		if err != nil {
			w.failed(t, since, err)
		}
		return
	}
	root, err := fence.Open(ctx, k.Lock, protocol.Format(k.Format))
	if err != nil {
		w.failed(t, since, err)
		return
	}
	defer root.Close()
	gen := string(seen.Generation)
	f, err := fence.Claim(ctx, root, seen.Generation)
	if err != nil {
		w.failed(t, since, err)
		return
	}
	w.say(event{What: breaking, Key: k.Name, Gen: gen})
	err = retire.Break(ctx, f, retire.Word{By: w.Who, Reason: "chaos", Quarantined: true})
	if err == nil {
		w.say(event{What: broke, Since: since, Key: k.Name, Gen: gen})
	}
	if err := errors.Join(err, f.Withdraw()); err != nil {
		w.failed(t, since, err)
	}
}

// operate looks and cleans up. It never waits and never disturbs.
func (w *worker) operate(ctx context.Context, t turn) {
	since, k := now(), t.key
	dir := operate.Target{Path: filepath.Dir(k.Lock)}
	failed := func(path string, err error) {
		if err != nil && !errors.Is(err, fence.ErrNoRoot) {
			w.failed(t, since, err)
		}
	}
	var err error
	switch t.verb {
	case "status":
		_, err = w.locks[k.Name].Status(ctx)
	case "list":
		err = operate.List(ctx, dir, func(*observer.Observation) error { return nil }, failed)
	case "doctor":
		_, err = operate.Doctor(ctx, dir, func(operate.Finding) error { return nil })
	case "prune":
		_, err = operate.Prune(ctx, dir, operate.PruneOptions{Removed: func(operate.Removal) error { return nil },
			Problem: failed, Progress: func(operate.Pruned) {}})
	case "collect":
		err = w.collect(ctx, k, t.budget)
	}
	failed(k.Lock, err)
	w.say(event{What: looked, Since: since, Key: k.Name, Text: string(t.verb)})
}

func (w *worker) collect(ctx context.Context, k *key, budget int) error {
	root, err := fence.Open(ctx, k.Lock, protocol.Format(k.Format))
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = retire.Collect(ctx, root, budget)
	return err
}
