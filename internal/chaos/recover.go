//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// later is the real world two hours later: what crashed before it had a witness is
// collected when it is an hour old.
type later struct{ env.Clock }

func (l later) Now() time.Time { return l.Clock.Now().Add(2 * time.Hour) }

// recover: with everybody gone and the disk mended each lock can be taken, one
// collection leaves nothing, and artifacts are whole.
func (r *round) recover(ctx context.Context) (found []violation, err error) {
	e := *env.From(ctx)
	e.Clock = later{e.Clock}
	tomorrow := env.With(ctx, &e)
	for _, k := range r.plan.Keys {
		if err := r.retake(ctx, k); err != nil {
			found = append(found, violation{Rule: fmt.Sprintf("lock %s cannot be taken afterwards: %v", k.Name, err)})
			continue
		}
		if err := collectAll(tomorrow, k); err != nil {
			found = append(found, violation{Rule: fmt.Sprintf("lock %s: collecting: %v", k.Name, err)})
		}
		if data, err := os.ReadFile(k.Artifact); err == nil {
			_, err = parseContent(data)
			if err != nil {
				found = append(found, violation{Rule: fmt.Sprintf("artifact of %s: %v", k.Name, err)})
			}
		}
	}
	for _, place := range []string{r.plan.Solid, r.plan.Frail} {
		problem := func(path string, err error) {
			found = append(found, violation{Rule: fmt.Sprintf("prune: %s: %v", path, err)})
		}
		target := operate.Target{Path: filepath.Join(place, "locks")}
		_, err := operate.Prune(tomorrow, target, operate.PruneOptions{Problem: problem,
			Removed: func(operate.Removal) error { return nil }, Progress: func(operate.Pruned) {}})
		if err != nil {
			problem(target.Path, err)
		}
	}
	if left := r.litter(); len(left) > 0 && len(found) == 0 {
		found = append(found, violation{Rule: "collecting left " + strings.Join(left, " ")})
	}
	return found, nil
}

// retake takes a lock and gives it back. An old lock whose maker was killed before it
// wrote its record is an operator's to break.
func (r *round) retake(ctx context.Context, k *key) error {
	o := k.options()
	o.Wait = patience
	o.FailUndecidable = true
	lock := genlock.New(k.Lock, o)
	lease, err := lock.Acquire(ctx)
	var held *genlock.HeldError
	if errors.As(err, &held) && k.Old != "" && held.Seen != nil && held.Seen.Old != nil {
		r.sums.byOperator++
		_, berr := operate.BreakOld(ctx, k.Lock, protocol.Format(k.Format), held.Seen.Old.Dialect, retire.Word{By: "chaos", Reason: "its maker was killed"})
		if berr != nil {
			return errors.Join(err, berr)
		}
		lease, err = lock.Acquire(ctx)
	}
	if err != nil {
		return err
	}
	return errors.Join(lease.Check(), lease.Release())
}

func collectAll(ctx context.Context, k *key) error {
	root, err := fence.Open(ctx, k.Lock, protocol.Format(k.Format))
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = retire.Collect(ctx, root, 0)
	return err
}

// litter is what lies about that should not.
func (r *round) litter() (left []string) {
	for _, k := range r.plan.Keys {
		root := k.Lock + protocol.RootSuffix
		filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			switch filepath.Base(path) {
			case protocol.MarkerName, protocol.RetiredName, protocol.GuardsName, protocol.LastName, protocol.QueueName, filepath.Base(root):
			default:
				left = append(left, path)
			}
			return nil
		})
	}
	for _, place := range []string{r.plan.Solid, r.plan.Frail} {
		names, _ := filepath.Glob(filepath.Join(place, "locks", "*"))
		for _, name := range names {
			if strings.Contains(filepath.Base(name), protocol.RootSuffix+".candidate-") {
				left = append(left, name)
			}
		}
	}
	return left
}
