package operate

import (
	"context"
	"os"
	"path/filepath"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/eventlog"
)

// DefaultLog is the name of an event log that is found without being named, in the
// directory of the locks.
const DefaultLog = "genlock.log"

// defaultLog is where it lies.
func defaultLog(t Target) string {
	dir := t.Path
	if t.Lock {
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, DefaultLog)
}

// LogOf is the event log that what an operator does belongs into: the one named, else
// the default one if there is one, else "".
func LogOf(t Target, named string) string {
	if named != "" {
		return named
	}
	path := defaultLog(t)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// WriteLog writes into an event log what this process has done, under the name of its
// verb. A log that cannot be written disturbs nothing.
func WriteLog(ctx context.Context, log, verb string, e eventlog.Entry) error {
	if log == "" {
		return nil
	}
	environment := env.From(ctx)
	self := environment.Machine.Self()
	e.Time = environment.Clock.Now()
	e.Process = eventlog.Who{Instance: self.Instance, PID: self.PID, Hostname: self.Hostname, Label: verb}
	return eventlog.Log{Path: log}.Append(e)
}
