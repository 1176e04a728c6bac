//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// round is one play from fresh locks to their recovery.
type round struct {
	plan *plan
	n    int
	disk *disk
	sums *sums
	crew *crew
}

func (r *round) play(ctx context.Context) error {
	p := r.plan
	for _, dir := range []string{p.Solid, p.Frail} {
		for _, sub := range []string{"locks", "out"} {
			if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
				return err
			}
		}
	}
	h, err := openHistory(p.history())
	if err != nil {
		return err
	}
	defer h.file.Close()
	r.crew = &crew{plan: p, history: h}
	defer r.crew.dismiss()
	r.hire()
	for _, h := range r.crew.hands {
		if err := r.crew.start(h); err != nil {
			return err
		}
	}
	if err := r.torment(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // the deferred calls clean up
	}
	return r.finish(ctx)
}

// hire shares the processes out: one old program for each key that has one, two fifths
// of the rest in houses of two, the others here.
func (r *round) hire() {
	add := func(slot string, t task) {
		r.crew.hands = append(r.crew.hands, &hand{slot: slot, task: t})
	}
	left := r.n
	for i, k := range r.plan.Keys {
		if k.Old != "" && left > 1 {
			left--
			add(fmt.Sprintf("o%d", i), task{Role: "old", Key: i})
		}
	}
	if len(housesLack()) == 0 {
		for i := range (left + 1) / 5 {
			left -= 2
			add(fmt.Sprintf("h%d", i), task{Role: "house", Members: 2, Proc: i%2 == 0})
		}
	}
	for i := range left {
		add(fmt.Sprintf("w%d", i), task{Role: "worker"})
	}
}

// torment lets the nemesis loose until the round's time is over.
func (r *round) torment(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(r.plan.Until-now()))
	defer cancel()
	var wg sync.WaitGroup
	if len(r.disk.kinds()) > 0 {
		wg.Go(func() { r.spoil(ctx) })
	}
	wg.Go(func() {
		err = r.nemesis(ctx)
		if err != nil {
			cancel()
		}
	})
	wg.Wait()
	return err
}

// finish waits for everybody, checks the history, and that everything recovers.
func (r *round) finish(ctx context.Context) error {
	late := r.crew.end()
	if r.crew.failed != nil {
		return r.crew.failed
	}
	all, err := readHistory(r.plan.history())
	if err != nil {
		return err
	}
	r.sums.count(all)
	found := check(r.plan.Keys, all)
	for _, who := range late {
		found = append(found, violation{Rule: "a worker does not come to an end: " + who})
	}
	recovered, err := r.recover(ctx)
	found = append(found, recovered...)
	if err != nil || len(found) > 0 {
		r.show(found, all)
		return err
	}
	return r.clear()
}

func (r *round) clear() error {
	errs := []error{os.RemoveAll(r.plan.Solid), os.Remove(r.plan.history())}
	for _, sub := range []string{"locks", "out"} {
		errs = append(errs, os.RemoveAll(filepath.Join(r.plan.Frail, sub)))
	}
	for _, k := range r.plan.Keys {
		if err := os.Remove(r.plan.section(k.Name)); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
