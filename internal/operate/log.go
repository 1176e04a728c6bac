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
func defaultLog(t Target) eventlog.Log {
	dir := t.Path
	if t.Lock {
		dir = filepath.Dir(dir)
	}
	return eventlog.Log{Path: filepath.Join(dir, DefaultLog), Found: true}
}

// LogOf is the event log that what an operator does belongs into: the one named, else
// the default one if there is one, else none. What stands in the place of the default
// one and is no file is an error when it is opened.
func LogOf(t Target, named string) eventlog.Log {
	if named != "" {
		return eventlog.Log{Path: named}
	}
	log := defaultLog(t)
	if _, err := os.Lstat(log.Path); err != nil {
		return eventlog.Log{}
	}
	return log
}

// WriteLog writes into an event log what this process has done, under the name of its
// verb. A log that cannot be written disturbs nothing.
func WriteLog(ctx context.Context, log eventlog.Log, verb string, e eventlog.Entry) error {
	if log.Path == "" {
		return nil
	}
	environment := env.From(ctx)
	self := environment.Machine.Self()
	e.Time = environment.Clock.Now()
	e.Process = eventlog.Who{Instance: self.Instance, PID: self.PID, Hostname: self.Hostname, Label: verb}
	return log.Append(e)
}
