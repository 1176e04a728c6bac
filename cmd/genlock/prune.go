package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"genlock.dev/genlock/internal/eventlog"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/protocol"

	"github.com/spf13/cobra"
)

// pruneFlags are the flags of prune.
type pruneFlags struct {
	dryRun, roots, verbose, json bool
	log                          string
	live                         bool // rows go to a terminal, each at once
}

func newPrune() *cobra.Command {
	var f pruneFlags
	cmd := &cobra.Command{
		Use:   "prune [flags] DIR|L",
		Short: "remove what finished and crashed attempts have left",
		Long:  helpText("prune"),
		Args:  oneOperand,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			catchSignals(cancel)
			target, err := operate.Resolve(ctx, args[0])
			if err != nil {
				return err
			}
			return f.run(ctx, target, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.dryRun, "dry-run", false, "change nothing, and name what would be removed")
	flags.BoolVar(&f.roots, "roots", false, "remove the directories of idle locks as well: your word that nothing uses them")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "name each thing that is removed")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line")
	addLog(cmd, &f.log)
	return cmd
}

func (f *pruneFlags) run(ctx context.Context, target operate.Target, w io.Writer) error {
	out := bufio.NewWriter(w)
	progress := &pruneProgress{line: newLiveLine(os.Stderr), began: time.Now()}
	if f.rowsOnTerminal(w) {
		progress.line = nil // the rows show how far it is, and the two would mix
	}
	var failed []error
	var log eventlog.Log
	if !f.dryRun {
		log = operatorLog(f.log, target, f.json)
	}
	done, err := operate.Prune(ctx, target, operate.PruneOptions{DryRun: f.dryRun, Roots: f.roots, Log: log,
		Removed: func(r operate.Removal) error { return f.removed(out, target, r) },
		Problem: func(_ string, err error) {
			if errors.Is(err, operate.ErrForeignClients) {
				err = &stateError{err.Error(), "without --roots everything else is removed all the same"}
			}
			failed = append(failed, err)
		},
		Progress: progress.show,
	})
	progress.line.clear()
	if err == nil && done.Locks+done.Removed+done.Kept+len(failed) == 0 {
		if err := missing(target); err != nil {
			return err
		}
	}
	if serr := f.sum(out, done); serr != nil {
		err = errors.Join(err, serr)
	}
	return errors.Join(append(failed, err, out.Flush())...)
}

// rowsOnTerminal tells whether somebody watches a row for each thing.
func (f *pruneFlags) rowsOnTerminal(w io.Writer) bool {
	file, isFile := w.(*os.File)
	f.live = isFile && width(file) >= 0 && (f.json || f.dryRun || f.verbose)
	return f.live
}

func (f *pruneFlags) removed(out *bufio.Writer, t operate.Target, r operate.Removal) error {
	switch {
	case f.json && f.live:
		return errors.Join(writeLine(out, r), out.Flush())
	case f.json:
		return writeLine(out, r)
	case f.dryRun || f.verbose:
		_, err := fmt.Fprintf(out, "%s %s %s (%s, %s)\n", f.verb(), r.Kind, t.Relative(r.Path),
			countOf(r.Names, "name"), operate.Bytes(r.Bytes))
		if err == nil && f.live {
			err = out.Flush()
		}
		return err
	}
	return nil
}

func (f *pruneFlags) verb() string {
	if f.dryRun {
		return "would remove"
	}
	return "removed"
}

// pruneTotal is the last line with --json.
type pruneTotal struct {
	Schema  int    `json:"schema"`
	Removed string `json:"removed"` // "total"
	Locks   int    `json:"locks"`
	Things  int    `json:"things"`
	Names   int    `json:"names"`
	Bytes   int64  `json:"bytes"`
	Kept    int    `json:"kept"`
	DryRun  bool   `json:"dry_run"`
}

func (f *pruneFlags) sum(out *bufio.Writer, done operate.Pruned) error {
	if f.json {
		return writeLine(out, pruneTotal{protocol.Schema, "total", done.Locks, done.Removed, done.Names,
			done.Bytes, done.Kept, f.dryRun})
	}
	kept := ""
	if done.Kept > 0 {
		kept = fmt.Sprintf("; kept %d that somebody may still need", done.Kept)
	}
	_, err := fmt.Fprintf(out, "%s %s with %s from %s%s\n", f.verb(), countOf(done.Names, "name"),
		operate.Bytes(done.Bytes), countOf(done.Locks, "lock"), kept)
	return err
}

func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// pruneProgress draws a line on a terminal, not more often than people read.
type pruneProgress struct {
	line  *liveLine
	began time.Time
	drawn time.Time
}

func (p *pruneProgress) show(done operate.Pruned) {
	const every = 200 * time.Millisecond
	now := time.Now()
	if now.Sub(p.began) < time.Second || now.Sub(p.drawn) < every || !p.line.drawable() {
		return
	}
	p.drawn = now
	p.line.draw(fmt.Sprintf("%s looked at, %s with %s removed", countOf(done.Locks, "lock"),
		countOf(done.Names, "name"), operate.Bytes(done.Bytes)))
}
