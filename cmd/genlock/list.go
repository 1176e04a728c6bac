package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/observer"

	"github.com/spf13/cobra"
)

func newList() *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "list [flags] DIR",
		Short: "list the locks in a directory and below",
		Long:  helpText("list"),
		Args:  oneOperand,
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := operate.Directory(context.Background(), args[0])
			if merr := missing(target); merr != nil {
				return merr
			}
			if err != nil {
				return err
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			l := &listing{out: out, base: target, all: all, now: time.Now(), counts: make(map[observer.State]int)}
			see := l.row
			if asJSON {
				enc := json.NewEncoder(out)
				enc.SetEscapeHTML(false)
				see = func(o *observer.Observation) error { return enc.Encode(o) }
			}
			var failed []error
			err = operate.List(context.Background(), target, see, func(path string, err error) { failed = append(failed, err) })
			if err == nil && !asJSON {
				err = l.end()
			}
			return errors.Join(append(failed, err, out.Flush())...)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVarP(&all, "all", "a", false, "free locks as well, in the table")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line, for every lock")
	return cmd
}

// oneOperand takes the arguments of a verb that works on one directory, or lock.
func oneOperand(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usageOf(cmd, usagef("no directory given"))
	case len(args) > 1:
		return usageOf(cmd, usagef("one at a time, not %d", len(args)))
	}
	return nil
}

// listing is the table for people. Columns have fixed widths, and what may be long
// comes last, so that rows can be printed as they are found.
type listing struct {
	out    io.Writer
	base   operate.Target
	all    bool
	now    time.Time
	rows   int
	counts map[observer.State]int
}

const listRow = "%-12s %-9s %-34s %s\n"

func (l *listing) row(o *observer.Observation) error {
	l.counts[o.State]++
	if o.State == observer.Free && !l.all {
		return nil
	}
	if l.rows++; l.rows == 1 {
		if _, err := fmt.Fprintf(l.out, listRow, "STATE", "SINCE", "HOLDER", "LOCK"); err != nil {
			return err
		}
	}
	since, who := l.holder(o)
	_, err := fmt.Fprintf(l.out, listRow, o.State, since, who, l.base.Relative(o.Lock))
	return err
}

func (l *listing) holder(o *observer.Observation) (since, who string) {
	h := o.Holder
	switch {
	case h == nil && o.Old != nil && o.Old.Strange:
		return "-", "a directory at its own path"
	case h == nil && o.Old != nil && o.State != observer.Free:
		return "-", "an older tool (" + o.Old.Dialect + ")"
	case h == nil:
		return "-", "-"
	}
	since = "-"
	if age := l.now.Sub(h.Started); !h.Started.IsZero() && age >= 0 {
		since = shortAge(age)
	}
	who = fmt.Sprintf("pid %d on %s", h.PID, observer.Command([]string{h.Hostname}))
	if what := h.Label; what != "" {
		who += " (" + what + ")"
	} else if len(h.Argv) > 0 {
		who += " (" + filepath.Base(h.Argv[0]) + ")"
	}
	return since, observer.Command([]string{who})
}

// end sums up: a line that is right whatever was printed above it.
func (l *listing) end() error {
	states := []observer.State{observer.Held, observer.Abandoned, observer.Undecidable, observer.Damaged, observer.Quarantined,
		observer.Foreign, observer.TooNew, observer.Unreadable, observer.Unsafe, observer.Free}
	var parts []string
	total := 0
	for _, s := range states {
		if n := l.counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
			total += n
		}
	}
	text := "no locks"
	if total > 0 {
		text = countOf(total, "lock") + ": " + strings.Join(parts, ", ")
	}
	_, err := fmt.Fprintln(l.out, text)
	return err
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shortAge fits a column: the two largest units.
func shortAge(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd%dh", int(d.Hours())/24, int(d.Hours())%24)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%dm", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return observer.Duration(d)
}
