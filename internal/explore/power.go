package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// PowerCuts counts what became of the lock after the machine lost power.
type PowerCuts struct {
	Moments, Disks int
	// Taken: a newcomer got the lock. Operator: it had to be broken first,
	// because nothing that survived tells who held it.
	Taken, Operator int
}

// power cuts the power after every change of a run, and looks at what may then be
// on the disk.
type power struct {
	r     *rand.Rand
	most  int // disks for each moment
	seen  map[string]bool
	count PowerCuts
}

// check tries all subsets of what was not durable yet, or as many as are allowed.
func (c *power) check(w *World) {
	if w.finding != nil {
		return
	}
	c.count.Moments++
	pending := len(w.fs.Pending())
	all := pending < 20 && 1<<pending <= c.most
	tries := c.most
	if all {
		tries = 1 << pending
	}
	for i := range tries {
		kept := uint64(i)
		if !all && i > 1 {
			kept = c.r.Uint64()
		} else if !all {
			kept = -kept // nothing, and everything
		}
		disk := w.fs.AfterPowerCut(func(j int, _ memfs.Change) bool { return kept>>(j%64)&1 == 1 })
		key := disk.Dump()
		if c.seen[key] {
			continue
		}
		c.seen[key] = true
		c.count.Disks++
		if err := c.restart(w, disk); err != nil {
			w.fail(ruleProgress, "after a power cut: %v; on the disk was\n%s", err, disk.Dump())
			return
		}
	}
}

// restart lets somebody take the lock on the machine that was started anew.
func (c *power) restart(w *World, disk *memfs.FS) error {
	m := survivor()
	m.self.Boot, m.self.BootedAt = strings.Repeat("b", 32), began.Add(2*time.Hour)
	world := func() context.Context { return newcomersWorld(&sameFiles{FS: disk.Process(), ids: w.ids}, m) }
	lock := genlock.New(lockPath, &genlock.Options{Format: w.sc.Format})
	lease, err := lock.TryAcquire(world())
	if err == nil {
		c.count.Taken++
		return lease.Release()
	}
	var held *genlock.HeldError
	if !errors.As(err, &held) || held.Seen.State != observer.Damaged && held.Seen.State != observer.Undecidable {
		return fmt.Errorf("a newcomer cannot acquire: %w", err)
	}
	c.count.Operator++
	if err := operator(world(), w.sc.format(), held.Seen.Generation); err != nil {
		return fmt.Errorf("an operator cannot break it: %w", err)
	}
	lease, err = lock.TryAcquire(world())
	if err != nil {
		return fmt.Errorf("a newcomer cannot acquire what was broken: %w", err)
	}
	return lease.Release()
}

// operator breaks what nobody can judge.
func operator(ctx context.Context, format protocol.Format, id protocol.ID) error {
	root, err := fence.Open(ctx, lockPath, format)
	if err != nil {
		return err
	}
	defer root.Close()
	if id == "" {
		return retire.BreakNameless(ctx, root)
	}
	f, err := fence.Claim(ctx, root, id)
	if err != nil {
		return err
	}
	return errors.Join(retire.Break(ctx, f, retire.Word{By: "operator", Reason: "power cut"}), f.Withdraw())
}

// CutPower runs sc in order and then in random ones, and cuts the power after every
// change.
func CutPower(sc *Scenario, seed uint64, limits Limits, most int) (PowerCuts, *Failure) {
	know := newKnowledge(sc)
	defer know.coros.close()
	c := &power{r: rand.New(rand.NewPCG(seed, 0)), most: most, seen: map[string]bool{}}
	know.afterEffect = c.check
	var stats Stats
	for runs := 0; !limits.reached(stats); runs++ {
		w := newWorld(sc, know)
		w.everything, w.record = true, true
		if runs == 0 {
			w.hop(c.r, 1)
		} else {
			w.stroll(rand.New(rand.NewPCG(seed, uint64(runs))))
		}
		w.end()
		stats.Runs++
		stats.Steps += w.steps
		stats.Recoveries = c.count.Disks
		if w.finding != nil {
			return c.count, &Failure{Scenario: sc.Name, Finding: w.finding, Schedule: scheduleOf(w.trace), Steps: words(w.trace)}
		}
	}
	return c.count, nil
}
