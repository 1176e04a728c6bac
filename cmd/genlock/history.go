package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"genlock.dev/genlock/internal/operate"

	"github.com/spf13/cobra"
)

// logVariable turns the event log on for everything below a shell.
const logVariable = "GENLOCK_LOG"

// historyFlags are the flags of history.
type historyFlags struct {
	log, svg string
	since    span
	json     bool
}

func newHistory() *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history [flags] L|DIR",
		Short: "tell who held what for how long, and who waited for whom",
		Long:  helpText("history"),
		Args:  oneOperand,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := context.Background()
			target, err := operate.Resolve(ctx, args[0])
			if err != nil {
				return err
			}
			return f.run(ctx, target, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.log, "log", "", "the event log (default $GENLOCK_LOG, else genlock.log beside the locks)")
	flags.StringVar(&f.svg, "svg", "", "draw a picture into FILE as well")
	flags.Var(&f.since, "since", "only what happened in the last T")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line, for every hold, wait and note")
	for name, placeholder := range map[string]string{"log": "FILE", "svg": "FILE"} {
		flags.Lookup(name).Value = named{flags.Lookup(name).Value, placeholder}
		cmd.MarkFlagFilename(name)
	}
	return cmd
}

func (f *historyFlags) run(ctx context.Context, target operate.Target, out io.Writer) error {
	opt := operate.HistoryOptions{Log: f.log}
	if opt.Log == "" {
		opt.Log, opt.Optional = os.Getenv(logVariable), true
	}
	if f.since.set {
		opt.Since = time.Now().Add(-f.since.Duration)
	}
	h, err := operate.ReadHistory(ctx, target, opt)
	noLog := errors.Is(err, operate.ErrNoLog)
	if err != nil && !noLog {
		return err
	}
	if len(h.Lanes)+len(h.Notes) == 0 {
		if err := missing(target); err != nil {
			return err
		}
	}
	if noLog {
		newTextReport(os.Stderr, waitBounds{}, false).exit(outcome{say: []string{"there is no event log, so only what is known now is told"},
			hint: "genlock run --log FILE, or " + logVariable + "=FILE, keeps one"})
	}
	switch {
	case f.json:
		err = h.WriteJSON(out)
	case len(h.Lanes)+len(h.Notes) == 0:
		_, err = fmt.Fprintln(out, "nothing is known about the past of these locks")
	default:
		err = h.WriteText(out, target, columns(out))
	}
	if err == nil && f.svg != "" {
		err = drawInto(f.svg, func(w io.Writer) error { return h.WriteSVG(w, target) })
	}
	return err
}

// drawInto replaces the file as a whole.
func drawInto(name string, draw func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(draw(f), f.Close())
}

// columns is how wide a timeline may be: as the terminal, or as a page.
func columns(out io.Writer) int {
	const page = 100
	if f, ok := out.(*os.File); ok {
		if w := width(f); w > 0 {
			return w
		}
	}
	return page
}
