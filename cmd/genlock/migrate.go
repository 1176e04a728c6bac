package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"

	"github.com/spf13/cobra"
)

// newMigrate is the parent of what a team needs while old programs still run.
func newMigrate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "what older programs still hold and have left",
		Long:  helpText("migrate"),
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageOf(cmd, usagef("unknown command migrate %s", args[0]))
			}
			return usageOf(cmd, usagef("migrate what? there are status and collect"))
		},
	}
	cmd.AddCommand(newMigrateStatus(), newMigrateCollect())
	return cmd
}

// everyDialect is what migrate looks for unless it is told otherwise.
func everyDialect() string { return strings.Join(legacy.Names(), ",") }

func newMigrateStatus() *cobra.Command {
	var asJSON bool
	var dialect string
	cmd := &cobra.Command{
		Use:   "status [flags] DIR",
		Short: "which keys older programs hold or have littered, and what remains to do",
		Long:  helpText("migrate_status"),
		Args:  oneOperand,
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := legacy.Parse(dialect)
			if err != nil {
				return err
			}
			target, err := operate.Directory(context.Background(), args[0])
			if err != nil {
				return err
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			r := &migrating{out: out, base: target, json: asJSON}
			var failed []error
			err = operate.Migration(context.Background(), target.Path, set, r.see, func(err error) { failed = append(failed, err) })
			if err == nil && !asJSON {
				err = r.end()
			}
			return errors.Join(append(failed, err, out.Flush())...)
		},
	}
	cmd.Flags().SortFlags = false
	addDialect(cmd, &dialect)
	cmd.Flags().Lookup("dialect").DefValue, dialect = everyDialect(), everyDialect()
	cmd.Flags().Lookup("dialect").Usage = "old protocols to look for and judge by"
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line, for every key")
	return cmd
}

// migrating prints keys as they are found.
type migrating struct {
	out  *bufio.Writer
	base operate.Target
	json bool

	held, littered int
}

func (r *migrating) see(m operate.Migrating) error {
	if m.State == "held" {
		r.held++
	} else {
		r.littered++
	}
	if r.json {
		return writeLine(r.out, m)
	}
	lines := []string{fmt.Sprintf("%s: %s", r.base.Relative(m.Lock), m.State)}
	for _, s := range m.Held {
		lines = append(lines, fmt.Sprintf("  %-10s%s", s.Dialect, strings.TrimPrefix(s.Describe(), "is ")))
	}
	for _, l := range m.Litter {
		dialect := l.Dialect
		if dialect == "" {
			dialect = "genlock"
		}
		lines = append(lines, fmt.Sprintf("  %-10s%s", dialect, countOf(l.Count, string(l.Kind))))
	}
	for _, s := range m.Todo {
		lines = append(lines, "  to do:    "+s)
	}
	_, err := fmt.Fprintln(r.out, strings.Join(lines, "\n"))
	return err
}

func (r *migrating) end() error {
	if r.held+r.littered == 0 {
		_, err := fmt.Fprintln(r.out, "no old locks, and nothing that they left")
		return err
	}
	_, err := fmt.Fprintf(r.out, "%s: %d held, %d littered\n", countOf(r.held+r.littered, "key"), r.held, r.littered)
	return err
}

func newMigrateCollect() *cobra.Command {
	var f struct {
		dialect, format string
		word            legacy.Word
	}
	cmd := &cobra.Command{
		Use:   "collect [flags] L",
		Short: "remove what older programs have left beside a lock",
		Long:  helpText("migrate_collect"),
		Args:  oneLock,
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := legacy.Parse(f.dialect)
			if err != nil {
				return err
			}
			target, err := operate.Resolve(context.Background(), args[0])
			if err != nil {
				return err
			}
			format := protocol.Format(f.format)
			if format == "" {
				format = protocol.Genlock
			}
			done, err := operate.CollectOld(context.Background(), target.Path, format, set, f.word)
			return errors.Join(err, writeCollected(cmd.OutOrStdout(), done, f.word))
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&f.word.Extinct, "extinct", false, "remove tombstones as well: your word that no old program will run here again")
	cmd.Flags().BoolVar(&f.word.DryRun, "dry-run", false, "change nothing, and name what would be removed")
	addDialect(cmd, &f.dialect)
	cmd.Flags().Lookup("dialect").DefValue, f.dialect = everyDialect(), everyDialect()
	cmd.Flags().Lookup("dialect").Usage = "old protocols whose rests to remove"
	addFormat(cmd, &f.format)
	return cmd
}

func writeCollected(w io.Writer, done legacy.Collected, word legacy.Word) error {
	verb := "removed"
	if word.DryRun {
		verb = "would remove"
	}
	for _, path := range done.Removed {
		if _, err := fmt.Fprintf(w, "%s %s\n", verb, path); err != nil {
			return err
		}
	}
	for _, path := range done.Kept {
		if _, err := fmt.Fprintf(w, "kept %s\n", path); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s %s; kept %d\n", verb, countOf(len(done.Removed), "name"), len(done.Kept))
	return err
}
