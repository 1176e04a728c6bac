package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"syscall"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

func TestOutcome(t *testing.T) {
	ended := &commandError{3, "exit status 3"}
	lost := fmt.Errorf("lock k: %w", genlock.ErrLost)
	path := func(err error) error { return &fs.PathError{Op: "open", Path: "k", Err: err} }
	for _, test := range []struct {
		name   string
		err    error
		code   int
		source string
		say    []string
	}{
		{"well", nil, 0, "genlock", nil},
		{"command", ended, 3, "command", nil},
		{"build", &genlock.BuildFailedError{Err: ended}, 3, "command", nil},
		{"command and release", errors.Join(ended, errors.New("cannot release")), 3, "command", []string{"cannot release"}},
		{"lost under a command", errors.Join(lost, ended), 76, "genlock", []string{lost.Error()}},
		{"released as lost", errors.Join(nil, lost), 76, "genlock", []string{lost.Error()}},
		{"two causes in one sentence", fmt.Errorf("cannot publish: %w: %w", genlock.ErrLost, errors.New("staging gone")), 76, "genlock",
			[]string{"cannot publish: the lock was lost: staging gone"}},
		{"interrupted while waiting", &genlock.HeldError{Lock: "k", Cause: &signalError{syscall.SIGTERM}}, 128 + 15, "genlock",
			[]string{"interrupted (SIGTERM), nothing was run: lock k is held"}},
		{"not there", &startError{127, "x", errors.New("not found")}, 127, "genlock", []string{"cannot run x: not found"}},
		{"usage", usagef("no lock given"), 2, "genlock", []string{"no lock given"}},
		{"library usage", &protocol.UsageError{What: "lock", Why: "empty"}, 2, "genlock", []string{"lock: empty"}},
		{"held", &genlock.HeldError{Lock: "k"}, 9, "genlock", []string{"lock k is held"}},
		{"nested", &genlock.NestedError{Lock: "k"}, 9, "genlock",
			[]string{"lock k is held by the command that started this one; waiting for it would never end"}},
		{"interrupted", &genlock.HeldError{Lock: "k", Cause: &signalError{syscall.SIGTERM}}, 128 + 15, "genlock", nil},
		{"no artifact", genlock.ErrNoArtifact, 76, "genlock", nil},
		{"exists", genlock.ErrExists, 76, "genlock", nil},
		{"format", &genlock.FormatError{Valid: true}, 65, "genlock", nil},
		{"too new", &genlock.FormatError{TooNew: true}, 65, "genlock", nil},
		{"no root", protocol.ErrNotRoot, 65, "genlock", nil},
		{"unsafe", genlock.ErrUnsafePath, 65, "genlock", nil},
		{"quarantined", genlock.ErrQuarantined, 65, "genlock", nil},
		{"state", &stateError{"not held", ""}, 65, "genlock", nil},
		{"missing", path(syscall.ENOENT), 73, "genlock", nil},
		{"full", path(syscall.ENOSPC), 73, "genlock", nil},
		{"read-only", path(syscall.EROFS), 73, "genlock", nil},
		{"permission", path(syscall.EACCES), 77, "genlock", nil},
		{"broken disk", path(syscall.EIO), 74, "genlock", nil},
		{"expired", &genlock.HeldError{Lock: "k", Cause: context.DeadlineExceeded}, 9, "genlock", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := outcomeOf(test.err, 9)
			if o.code != test.code || o.source != test.source {
				t.Errorf("%d by %s, want %d by %s", o.code, o.source, test.code, test.source)
			}
			if test.say != nil && !reflect.DeepEqual(o.say, test.say) {
				t.Errorf("says %q, want %q", o.say, test.say)
			}
		})
	}
}
