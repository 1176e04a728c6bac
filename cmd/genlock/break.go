package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"

	"github.com/spf13/cobra"
)

// breakFlags are the flags of break.
type breakFlags struct {
	generation, reason, format string
	old, log                   string
	quarantined, damaged       bool
}

func newBreak() *cobra.Command {
	var f breakFlags
	cmd := &cobra.Command{
		Use:   "break [flags] L",
		Short: "take one generation away from its holder",
		Long:  helpText("break"),
		Args:  oneLock,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return usageOf(cmd, err)
			}
			run := f.run
			if f.old != "" {
				run = f.breakOld
			}
			said, err := run(context.Background(), args[0])
			if err == nil {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
			}
			return about(err, genlock.New(args[0], nil))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.generation, "generation", "", "the generation to break, as status shows it")
	flags.BoolVar(&f.quarantined, "quarantined", false, "also when a guard says that its commands may still run")
	flags.BoolVar(&f.damaged, "damaged", false, "break whatever generation is held, provided that it is damaged")
	flags.StringVar(&f.old, "old", "", "break the old lock of DIALECT (mkdir, v2, token, heartbeat) instead")
	flags.StringVar(&f.reason, "reason", "", "why, for those who wait and for the record")
	addFormat(cmd, &f.format)
	addLog(cmd, &f.log)
	for name, placeholder := range map[string]string{"generation": "G", "old": "DIALECT", "reason": "TEXT"} {
		flags.Lookup(name).Value = named{flags.Lookup(name).Value, placeholder}
	}
	return cmd
}

func (f *breakFlags) check() error {
	switch _, ok := protocol.ParseID(f.generation); {
	case f.old != "" && (f.damaged || f.quarantined || f.generation != ""):
		return usagef("--old goes without --generation, --damaged and --quarantined")
	case f.old != "":
		return nil
	case f.damaged && (f.generation != "" || f.quarantined):
		return usagef("--damaged goes without --generation and --quarantined")
	case !f.damaged && f.generation == "":
		return usagef("--generation, --damaged or --old has to say what to break")
	case !f.damaged && !ok:
		return usagef("--generation %s is not 32 hex digits", f.generation)
	}
	return nil
}

// run breaks the generation meant, and nothing else. It returns what to say.
func (f *breakFlags) run(ctx context.Context, name string) (string, error) {
	lock := genlock.New(name, &genlock.Options{Format: protocol.Format(f.format)})
	if err := mustExist(ctx, lock, name, f.format); err != nil {
		return "", err
	}
	const tries = 20 // each means that the lock changed hands meanwhile
	met := false     // it was held a moment ago
	for range tries {
		seen, err := lock.Status(ctx)
		if err != nil {
			return "", err
		}
		if f.damaged && seen.State == observer.Damaged && seen.Generation == "" {
			return f.nameless(ctx, name, seen)
		}
		id, err := f.target(name, seen)
		if err != nil {
			return "", err
		}
		if id == "" && !met && f.unheardOf(ctx, seen) {
			return "", &stateError{fmt.Sprintf("there is no generation %s at lock %s, which is free, and nothing tells that there was one; nothing was changed",
				f.generation, name), "it ended well, or is that of another lock: genlock list " + observer.Quote(filepath.Dir(seen.Lock))}
		}
		if id == "" {
			return f.nothing(name), nil
		}
		met = true
		err = f.one(ctx, lock.Path(), seen.Format, id)
		if errors.Is(err, fence.ErrMoved) {
			continue
		}
		broke := fmt.Sprintf("broke generation %s of lock %s, held by %s", id, name, seen.Holder.Describe(time.Time{}))
		if err == nil {
			f.note(ctx, seen.Lock, id, seen.Holder)
			return broke, nil
		}
		if now, lerr := lock.Status(ctx); lerr == nil && now.Generation != id {
			// It worked; only the record of it may be missing.
			f.note(ctx, seen.Lock, id, seen.Holder)
			return broke + "; " + err.Error(), nil
		}
		return "", err
	}
	return "", fmt.Errorf("lock %s changes hands too fast to break it", name)
}

// mustExist refuses a path at which nobody ever had a lock: most likely it is
// mistyped, and the one that was meant stays held.
func mustExist(ctx context.Context, lock *genlock.Lock, name, format string) error {
	if format == "" {
		format = string(protocol.Genlock)
	}
	root, err := fence.Open(ctx, lock.Path(), protocol.Format(format))
	if errors.Is(err, fence.ErrNoRoot) {
		return &stateError{fmt.Sprintf("there is no lock at %s; nothing was changed", name),
			"the locks beside it: genlock list " + observer.Quote(filepath.Dir(lock.Path()))}
	}
	if err == nil {
		root.Close()
	}
	return err
}

// nameless breaks what is damaged so badly that it names no generation.
func (f *breakFlags) nameless(ctx context.Context, name string, seen *observer.Observation) (string, error) {
	root, err := fence.Open(ctx, seen.Lock, seen.Format)
	if err != nil {
		return "", err
	}
	defer root.Close()
	err = retire.BreakNameless(ctx, root)
	if errors.Is(err, fence.ErrMoved) {
		return f.nothing(name), nil
	}
	if err == nil {
		f.note(ctx, seen.Lock, "", nil)
	}
	return fmt.Sprintf("broke what was left in lock %s, which named no generation", name), err
}

// target is the generation to break: "" when it is not held any more.
func (f *breakFlags) target(name string, seen *observer.Observation) (protocol.ID, error) {
	meant := protocol.ID(f.generation)
	switch {
	case seen.Generation == "" && seen.VerdictText() == "":
		return "", nil
	case f.damaged && seen.State != observer.Damaged:
		return "", &stateError{fmt.Sprintf("lock %s is not damaged, it is %s; nothing was changed", name, seen.State),
			"the generation to break: genlock status " + observer.Quote(seen.Lock)}
	case f.damaged:
		return seen.Generation, nil
	case seen.Generation == meant:
		return meant, nil
	case seen.Last != nil && seen.Last.Generation == meant:
		return "", nil
	case seen.Generation == "":
		return "", &stateError{fmt.Sprintf("lock %s: generation %s is not held; nothing was changed", name, meant), ""}
	}
	return "", &stateError{fmt.Sprintf("lock %s: generation %s is not held, %s is; nothing was changed", name, meant, seen.Generation),
		"who holds it, and whether that is alive: genlock status " + observer.Quote(seen.Lock)}
}

// unheardOf tells whether nothing shows that the generation meant was ever held here: a
// mistyped one is not "already gone", and the one that was meant stays held.
func (f *breakFlags) unheardOf(ctx context.Context, seen *observer.Observation) bool {
	meant := protocol.ID(f.generation)
	if f.damaged || seen.Last != nil && seen.Last.Generation == meant {
		return false
	}
	there, err := operate.HasTombstone(ctx, seen.Lock, seen.Format, meant)
	return err == nil && !there
}

func (f *breakFlags) nothing(name string) string {
	if f.damaged {
		return fmt.Sprintf("nothing to break: lock %s is free", name)
	}
	return fmt.Sprintf("already gone: generation %s of lock %s", f.generation, name)
}

// one claims, breaks, withdraws, and tidies up.
func (f *breakFlags) one(ctx context.Context, path string, format protocol.Format, id protocol.ID) error {
	root, err := fence.Open(ctx, path, format)
	if errors.Is(err, fence.ErrNoRoot) {
		return fence.ErrMoved
	}
	if err != nil {
		return err
	}
	defer root.Close()
	claim, err := fence.Claim(ctx, root, id)
	if err != nil {
		return err
	}
	err = retire.Break(ctx, claim, retire.Word{By: whoAndWhere(), Reason: f.reason, Quarantined: f.quarantined})
	// What cannot be tidied up now is left to the collector.
	claim.Withdraw()
	retire.Bury(ctx, root, id)
	return err
}
