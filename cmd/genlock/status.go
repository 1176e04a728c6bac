package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"

	"github.com/spf13/cobra"
)

func newStatus() *cobra.Command {
	var asJSON, exitCode bool
	var format, dialect string
	cmd := &cobra.Command{
		Use:   "status [flags] L",
		Short: "tell who holds a lock, and whether the holder is alive",
		Long:  helpText("status"),
		Args:  oneLock,
		RunE: func(cmd *cobra.Command, args []string) error {
			lock := genlock.New(args[0], &genlock.Options{Format: protocol.Format(format), Dialects: dialect})
			seen, err := lock.Status(context.Background())
			if seen == nil {
				return err
			}
			if err := missingDirectoryOf(seen); err != nil {
				return err
			}
			write := writeStatus
			if asJSON {
				write = writeJSON
			}
			if err := write(cmd.OutOrStdout(), seen); err != nil {
				return err
			}
			if exitCode && seen.State != observer.Free {
				return exitStatus(exitFound)
			}
			return nil
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 1 unless the lock is free")
	addDialect(cmd, &dialect)
	addFormat(cmd, &format)
	return cmd
}

func addDialect(cmd *cobra.Command, dialect *string) {
	cmd.Flags().StringVar(dialect, "dialect", "", "old protocols to judge by: mkdir,v2,token,heartbeat")
	f := cmd.Flags().Lookup("dialect")
	f.Value = named{f.Value, "LIST"}
}

func addFormat(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "", "lock format, for tools that share one (default genlock-v3)")
	f := cmd.Flags().Lookup("format")
	f.Value = named{f.Value, "NAME"}
}

func writeJSON(w io.Writer, o *observer.Observation) error {
	data, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// writeStatus prints one fact a line.
func writeStatus(w io.Writer, o *observer.Observation) error {
	facts := append([][2]string{{"lock", o.Lock}, {"state", string(o.State)}}, holderFacts(o.Holder, time.Now())...)
	facts = append(facts,
		[2]string{"kept by", operate.Keepers(o)},
		[2]string{"generation", string(o.Generation)},
		[2]string{"verdict", o.VerdictText()},
		[2]string{"evidence", o.Evidence},
		[2]string{"old lock", oldText(o.Old)},
		[2]string{"old holder", oldHolder(o.Old)},
		[2]string{"old state", oldVerdict(o.Old)},
		[2]string{"claims", count(o.Claims)},
		[2]string{"tombstones", count(o.Tombstones)},
		[2]string{"last fault", lastFact(o.Last)},
		[2]string{"next", o.Next})
	for _, f := range facts {
		if f[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-12s%s\n", f[0]+":", f[1]); err != nil {
			return err
		}
	}
	return nil
}

func holderFacts(h *observer.Holder, now time.Time) [][2]string {
	if h == nil {
		return nil
	}
	who := fmt.Sprintf("pid %d on %s", h.PID, h.Hostname)
	if h.User != "" {
		who += " as " + h.User
	}
	switch {
	case h.ChildOnly:
		who += "; it is gone, and only a command it started goes on"
	case h.Stopped:
		who += "; it is stopped"
	}
	since := h.StartedAt
	if age := now.Sub(h.Started); !h.Started.IsZero() && age >= 0 {
		since += " (" + observer.Duration(age) + " ago)"
	}
	return [][2]string{{"holder", who}, {"label", h.Label}, {"command", observer.Command(h.Argv)},
		{"directory", h.CWD}, {"since", since}, {"witness", witnessFact(h)}}
}

// witnessFact is silent about what is usual.
func witnessFact(h *observer.Holder) string {
	if h.Witness != protocol.WitnessNone {
		return ""
	}
	return "none: locks exclude nobody here, so a command that outlives the holder does not keep the lock"
}

func oldText(o *observer.OldLock) string {
	if o == nil {
		return ""
	}
	if o.Strange {
		return "" // the evidence says it
	}
	return o.Dialect + " at " + o.Path + ": " + o.Why
}

// oldHolder is whom the old lock's record names.
func oldHolder(o *observer.OldLock) string {
	if o == nil || o.PID == 0 {
		return ""
	}
	s := fmt.Sprintf("pid %d", o.PID)
	if o.Genlock {
		s = "genlock, " + s
	}
	if o.Hostname != "" {
		s += " on " + observer.Command([]string{o.Hostname})
	}
	if o.StartedAt != "" {
		s += " since " + observer.Command([]string{o.StartedAt})
	}
	return s
}

func oldVerdict(o *observer.OldLock) string {
	switch {
	case o == nil, o.Strange:
		return ""
	case o.Next == "":
		return o.State
	}
	return o.State + "; " + o.Next
}

func lastFact(l *protocol.Last) string {
	if l == nil {
		return ""
	}
	return lastText(l) + " (" + l.Time.Local().Format(time.DateTime) + ")"
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
