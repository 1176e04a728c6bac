package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
)

// Exit statuses, besides those of CMD.
const (
	exitOK            = 0
	exitFound         = 1   // status --exit-code: the lock is not free
	exitUsage         = 2   // the call itself is wrong
	exitState         = 65  // unusable or foreign lock state
	exitCreate        = 73  // cannot create or write
	exitIO            = 74  // I/O error
	exitHeld          = 75  // held, or the wait expired; -E changes it
	exitLost          = 76  // lost or broken while running, or publication refused
	exitPermission    = 77  // permission denied
	exitNotExecutable = 126 // CMD is there and cannot be run
	exitNotFound      = 127 // CMD is not there
	exitSignal        = 128 // plus the number of the signal
)

// outcome is how an invocation ended: its exit status, who decided on that, and
// what to tell.
type outcome struct {
	code   int
	source string // "command" or "genlock"
	say    []string
	lost   []string // those of say that tell of a lost lock
	hint   string
}

// outcomeOf maps every error to its exit status. conflict is the status for a
// lock that is held.
func outcomeOf(err error, conflict int) outcome {
	if err == nil {
		return outcome{code: exitOK, source: "genlock"}
	}
	lock := ""
	if about, ok := err.(*aboutError); ok {
		lock, err = about.lock, about.err
	}
	var ended *commandError
	if errors.As(err, &ended) && !errors.Is(err, genlock.ErrLost) {
		// CMD has said itself what went wrong; a failed release it cannot know.
		return outcome{code: ended.status, source: "command", say: messages(err, ended)}
	}
	code, hint := classify(err, conflict, lock)
	return outcome{code: code, source: "genlock", say: messages(err, ended), lost: losses(err), hint: hint}
}

// classify goes from the most specific cause to the least.
func classify(err error, conflict int, lock string) (code int, hint string) {
	var (
		usage   *usageError
		signal  *signalError
		start   *startError
		state   *stateError
		nesting *genlock.NestedError
		held    *genlock.HeldError
	)
	switch {
	case errors.As(err, &usage):
		return exitUsage, usage.hint
	case errors.Is(err, genlock.ErrUsage):
		return exitUsage, ""
	case errors.As(err, &signal):
		return exitSignal + signal.number(), ""
	case errors.Is(err, genlock.ErrLost):
		return exitLost, "nothing was published; run it again, or see who holds the lock now: genlock status " + pasted(lock)
	case errors.As(err, &start):
		return start.status, ""
	case errors.Is(err, genlock.ErrNoArtifact):
		return exitLost, "the command has to write to its argument {}, or to $GENLOCK_OUT; inside a word, as in sh -c, {} stays as it is"
	case errors.Is(err, genlock.ErrUnverified):
		return exitLost, "nothing was published; --verify was run on what CMD built"
	case errors.Is(err, genlock.ErrExists):
		return exitLost, "--rebuild replaces what is there"
	case errors.As(err, &nesting):
		return conflict, "take the lock once, outermost"
	case errors.As(err, &held):
		return conflict, heldHint(held)
	case errors.Is(err, legacy.ErrOwn):
		return conflict, "take the lock once, outermost"
	case errors.As(err, &state):
		return exitState, state.hint
	}
	return classifySystem(err, lock)
}

func classifySystem(err error, lock string) (code int, hint string) {
	switch {
	case errors.Is(err, genlock.ErrTooNew):
		return exitState, "install the newer genlock; nothing was changed"
	case errors.Is(err, genlock.ErrFormat) && !errors.Is(err, genlock.ErrNotRoot):
		return exitState, "--format names the format to use"
	case errors.Is(err, genlock.ErrNotRoot):
		return exitState, "look at what stands there before you remove it"
	case errors.Is(err, genlock.ErrUnsafePath):
		return exitState, "look at what stands there before you remove it" + lookAt(err)
	case errors.Is(err, genlock.ErrQuarantined):
		return exitState, "when no command of it runs any more: genlock break " + pasted(lock) + " --generation " + quarantined(err) + " --quarantined"
	case errors.Is(err, fs.ErrPermission):
		return exitPermission, operate.Refused(err)
	case errors.Is(err, fs.ErrNotExist):
		return exitCreate, missingDirectory(lock)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT),
		errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return exitCreate, ""
	}
	return exitIO, ""
}

// heldHint is the one thing to do about a lock that is held.
func heldHint(e *genlock.HeldError) string {
	switch {
	case e.Seen != nil && e.Seen.Holder != nil && !e.Seen.Holder.ChildOnly && startedUs(e.Seen.Holder):
		return fmt.Sprintf("pid %d has started this command, so it may wait for itself", e.Seen.Holder.PID)
	case e.Seen != nil && e.Seen.Next != "" && e.Seen.State == observer.Held:
		return lasting(e.Seen)
	case e.Seen != nil && e.Seen.Next != "" && e.Seen.State != observer.Abandoned:
		return ifGone(e.Seen)
	case e.Cause == nil:
		return "leave out -n to wait, or give -w a time"
	case errors.Is(e.Cause, context.DeadlineExceeded) && e.Seen != nil:
		return "what can be done about it: genlock doctor " + observer.Quote(e.Seen.Lock)
	}
	return ""
}

// messages is what err says, one line per part of a joined error, without what
// CMD has told by itself.
func messages(err error, told *commandError) []string {
	if told != nil && !errors.Is(err, told) {
		told = nil
	}
	if joined := partsOf(err); joined != nil {
		var all []string
		for _, part := range joined {
			all = append(all, messages(part, told)...)
		}
		return all
	}
	var held *genlock.HeldError
	var signal *signalError
	switch {
	case told != nil:
		return nil
	case errors.As(err, &held) && errors.As(held.Cause, &signal):
		// What happened first; for whom we waited is of less interest now.
		return []string{signal.Error() + ", nothing was run: " + strings.TrimSuffix(err.Error(), "; "+signal.Error())}
	}
	return []string{err.Error()}
}

// partsOf is what errors.Join has joined; nil for any other error, also for one that
// wraps several in a sentence of its own.
func partsOf(err error) []error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var texts []string
	for _, part := range many.Unwrap() {
		texts = append(texts, part.Error())
	}
	if strings.Join(texts, "\n") != err.Error() {
		return nil
	}
	return many.Unwrap()
}

// losses are those messages that say that the lock was lost.
func losses(err error) (lines []string) {
	for _, part := range partsOf(err) {
		lines = append(lines, losses(part)...)
	}
	if len(lines) == 0 && errors.Is(err, genlock.ErrLost) {
		lines = []string{err.Error()}
	}
	return lines
}
