package explore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// recovery checks, after every change in every run, that the world could end
// there: if all processes died this instant, a newcomer would get the lock in
// bounded steps, and collecting would leave nothing.
type recovery struct {
	sc   *Scenario
	seen map[uint64]bool
	done int
}

func newRecovery(sc *Scenario) *recovery { return &recovery{sc: sc, seen: map[uint64]bool{}} }

// hook is what to call after every change; nil for nothing.
func (r *recovery) hook() func(*World) {
	if r.sc.Immortal {
		return nil
	}
	return r.check
}

// check runs a newcomer on a copy of the disk, once for each content.
func (r *recovery) check(w *World) {
	if r.seen[w.disk.content] || w.finding != nil {
		return
	}
	r.seen[w.disk.content] = true
	r.done++
	disk := w.fs.Clone()
	rule, err := newcomer(disk, &sameFiles{FS: disk.Process(), ids: w.ids}, w.sc, survivor())
	if w.sc.Dialects != "" {
		rule, err = r.oldCheck(w, rule, err)
	}
	if r.sc.ByHand && (errors.Is(err, protocol.ErrNotRoot) || undecidable(err) || rule == ruleLitter) {
		return // half deleted by hand: only a person can tell what it was
	}
	if err != nil {
		w.fail(rule, "if all died now: %v", err)
	}
}

// undecidable tells whether err says that nothing proves anything about the holder:
// what half a deletion by hand leaves of a generation is torn (rule 12).
func undecidable(err error) bool {
	var held *genlock.HeldError
	return errors.As(err, &held) && held.Seen != nil &&
		(held.Seen.State == observer.Undecidable || held.Seen.State == observer.Damaged)
}

func (sc *Scenario) format() protocol.Format {
	if sc.Format == "" {
		return protocol.Genlock
	}
	return sc.Format
}

// newcomer acquires, releases and collects, hours later.
func newcomer(disk *memfs.FS, fs vfs.FS, sc *Scenario, m evidence.Machine) (rule string, err error) {
	ctx := newcomersWorld(fs, m)
	lease, err := genlock.New(lockPath, sc.options()).Acquire(ctx)
	if err != nil {
		return ruleProgress, fmt.Errorf("a newcomer cannot acquire: %w", err)
	}
	if err := lease.Release(); err != nil {
		return ruleRelease, fmt.Errorf("a newcomer cannot release: %w", err)
	}
	root, err := fence.Open(ctx, lockPath, sc.format())
	if err != nil {
		return ruleProgress, err
	}
	defer root.Close()
	if _, err := retire.Collect(ctx, root, 0); err != nil {
		return ruleLitter, err
	}
	return ruleLitter, litter(disk)
}

// newcomersWorld is that of somebody who comes hours later.
func newcomersWorld(fs vfs.FS, m evidence.Machine) context.Context {
	clock := &later{now: began.Add(12 * time.Hour)}
	ids := 0
	return env.With(context.Background(), &env.Env{FS: fs, Machine: m, Clock: clock, Leases: &env.Leases{},
		NewID: func() (protocol.ID, error) {
			ids++
			return protocol.ID(fmt.Sprintf("%012x7%03x8%011x%04x", clock.now.UnixMilli(), 26, ids, 1)), nil
		}})
}

// litter tells what lies in the root that is of no use.
func litter(disk *memfs.FS) error {
	var left []string
	for line := range strings.Lines(disk.Dump()) {
		path, _, _ := strings.Cut(line, " ")
		rest, inside := strings.CutPrefix(path, rootPath+"/")
		switch rest {
		case protocol.MarkerName, protocol.RetiredName, protocol.LastName, protocol.QueueName:
		default:
			if inside {
				left = append(left, shorten(rest))
			}
		}
	}
	if left != nil {
		return fmt.Errorf("collecting leaves %s", strings.Join(left, ", "))
	}
	return nil
}

// later is the clock of a newcomer, which waits a few times at most.
type later struct {
	now    time.Time
	sleeps int
}

func (c *later) Now() time.Time { return c.now }

func (c *later) Sleep(ctx context.Context, _ time.Duration) error {
	if ctx.Done() != nil {
		<-ctx.Done() // whoever keeps an old lock alive, see wallclock
		return context.Cause(ctx)
	}
	c.now = c.now.Add(time.Second)
	if c.sleeps++; c.sleeps > 3 {
		return context.DeadlineExceeded
	}
	return nil
}

// lone is a machine on which nobody else lives.
type lone struct{ self evidence.Self }

func survivor() *lone {
	p := &Proc{n: 900}
	s := newSelf(p, firstPIDNS).self
	return &lone{s}
}

func (l *lone) Self() *evidence.Self { return &l.self }

func (l *lone) Process(pid int) evidence.ProcessInfo {
	if pid == l.self.PID {
		return evidence.ProcessInfo{State: evidence.Running, Start: l.self.Start}
	}
	return evidence.ProcessInfo{State: evidence.Absent}
}

func (l *lone) Anywhere(pid int) (exists, known bool) { return pid == l.self.PID, true }
