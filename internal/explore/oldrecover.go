package explore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

// oldCheck completes what a newcomer of ours came to: an old program is let into
// another copy of the disk, by its own rules and hours later. err is what became
// of ours.
func (r *recovery) oldCheck(w *World, rule string, err error) (string, error) {
	if err != nil && recordless(w, err) {
		rule, err = "", nil
	}
	if err != nil {
		return rule, err
	}
	for _, name := range r.sc.olds() {
		disk := w.fs.Clone()
		r.done++
		if err := oldNewcomer(name, &sameFiles{FS: disk.Process(), ids: w.ids}); err != nil {
			return ruleProgress, fmt.Errorf("an old program (%s) cannot acquire: %w", name, err)
		}
		if err := oldLitter(disk, r.sc, w); err != nil {
			return ruleLitter, err
		}
	}
	return "", nil
}

// recordless: to ours that is undecidable for ever, as docs/migration.md says.
func recordless(w *World, err error) bool {
	var held *genlock.HeldError
	_, _, n := w.disk.at(lockPath, nil)
	return errors.As(err, &held) && held.Seen != nil && held.Seen.Old != nil && n != nil && w.nameless(n)
}

// nameless: an old program of the dialect mkdir did not come to say whose its lock is,
// or deleted what said whose lock it was and did not come to delete the rest.
func (w *World) nameless(n *node) bool {
	rec := n.names[protocol.RecordName]
	return strings.Contains(w.sc.Dialects, "mkdir") && (rec == nil || len(rec.data) == 0) &&
		(w.procs[n.maker].old != nil || n.stripped)
}

// olds are the old programs of the scenario.
func (sc *Scenario) olds() (names []string) {
	seen := map[string]bool{}
	for _, part := range sc.Procs {
		if part.Old != "" && !seen[part.Old] {
			names = append(names, part.Old)
		}
		seen[part.Old] = true
	}
	return names
}

// oldNewcomer takes the lock, by the rules of the old program, and releases it.
func oldNewcomer(name string, fs *sameFiles) error {
	const tries = 6 // it clears away one thing in each
	now, ids := began.Add(12*time.Hour), 0
	p := oldProgram(name, oldprograms.Self{FS: fs, Host: "vm", PID: 999,
		Now:   func() time.Time { return now },
		Alive: func(pid int) bool { return pid == 999 },
		NewID: func() string {
			ids++
			return fmt.Sprintf("%032x", 0xabc000+ids)
		}})
	for range tries {
		now = now.Add(time.Minute)
		got, err := p.Try(lockPath)
		if err != nil {
			return err
		}
		if got {
			return p.Release(lockPath)
		}
	}
	return fmt.Errorf("not in %d tries", tries)
}

// oldLitter lets ours collect what lies beside the lock, on the word that the old
// programs are extinct, and tells what is left.
func oldLitter(disk *memfs.FS, sc *Scenario, w *World) error {
	set, err := legacy.Parse(sc.Dialects)
	if err != nil {
		return err
	}
	ctx := newcomersWorld(&sameFiles{FS: disk.Process(), ids: w.ids}, survivor())
	if err := collectOld(ctx, set); err != nil {
		return err
	}
	var left []string
	for line := range strings.Lines(disk.Dump()) {
		path, _, _ := strings.Cut(line, " ")
		rest, beside := strings.CutPrefix(path, lockPath+".")
		if beside && !strings.HasPrefix(rest, "v3") && !strings.HasPrefix(rest, "v2/") && rest != "v2" {
			left = append(left, shorten(path))
		}
	}
	if left != nil {
		return fmt.Errorf("collecting what old protocols left leaves %s", strings.Join(left, ", "))
	}
	return nil
}

func collectOld(ctx context.Context, set legacy.Set) error {
	for _, d := range set {
		if _, err := d.Collect(ctx, legacy.Place{Lock: lockPath}, legacy.Word{Extinct: true}); err != nil {
			return err
		}
	}
	return nil
}
