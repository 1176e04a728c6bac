package main

import (
	"fmt"
	"os"

	"genlock.dev/genlock/internal/eventlog"
)

// eventLog is the log to write, "" for none. One that cannot be written is told and
// left out: it is not worth failing a build.
func (f *runFlags) eventLog() string {
	path := f.log
	if path == "" {
		path = os.Getenv(logVariable)
	}
	if path == "" {
		return ""
	}
	if err := (eventlog.Log{Path: path}).Check(); err != nil {
		if !f.quiet && !f.json {
			fmt.Fprintf(os.Stderr, "genlock: going on without an event log: %v\n", err)
		}
		return ""
	}
	return path
}
