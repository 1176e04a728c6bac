package main

import (
	"context"
	"fmt"
	"os"

	"genlock.dev/genlock/internal/eventlog"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"

	"github.com/spf13/cobra"
)

// eventLog is the log to write, "" for none. One that cannot be written is told and
// left out: it is not worth failing a build.
func (f *runFlags) eventLog() string {
	return writable(eventlog.Log{Path: namedLog(f.log)}, f.quiet || f.json).Path
}

// namedLog is the log that a flag or the environment names.
func namedLog(flag string) string {
	if flag != "" {
		return flag
	}
	return os.Getenv(logVariable)
}

// writable is log, or none if it cannot be written.
func writable(log eventlog.Log, quiet bool) eventlog.Log {
	if log.Path == "" {
		return log
	}
	if err := log.Check(); err != nil {
		if !quiet {
			fmt.Fprintf(os.Stderr, "genlock: going on without an event log: %v\n", err)
		}
		return eventlog.Log{}
	}
	return log
}

// operatorLog is the log that what an operator does to target goes into.
func operatorLog(flag string, target operate.Target, quiet bool) eventlog.Log {
	return writable(operate.LogOf(target, namedLog(flag)), quiet)
}

// note puts into the log what was broken, and whose it was. That it cannot is told by
// whoever looked for the log, and disturbs nothing.
func (f *breakFlags) note(ctx context.Context, lock string, id protocol.ID, from *observer.Holder) {
	e := eventlog.Entry{Event: eventlog.Breaks, Lock: lock, Generation: id, By: whoAndWhere(), Message: f.reason}
	if from != nil && from.PID > 0 {
		label := from.Label
		if label == "" {
			label = observer.Command(from.Argv)
		}
		e.Holder = &eventlog.Who{PID: from.PID, Hostname: from.Hostname, Label: label}
	}
	operate.WriteLog(ctx, operatorLog(f.log, operate.Target{Path: lock, Lock: true}, false), "genlock break", e)
}

// addLog defines the flag of the verbs that operators use.
func addLog(cmd *cobra.Command, log *string) {
	cmd.Flags().StringVar(log, "log", "", "append what is done to FILE (default $GENLOCK_LOG, else genlock.log beside the locks, if there)")
	f := cmd.Flags().Lookup("log")
	f.Value = named{f.Value, "FILE"}
	cmd.MarkFlagFilename("log")
}
