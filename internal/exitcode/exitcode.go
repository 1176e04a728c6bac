// Package exitcode turns the error of a command into the exit status that a shell
// would report for it.
package exitcode

import (
	"errors"
	"os/exec"
)

// Of is the exit status behind err: 128+n for a command that signal n killed, -1
// when err does not come from a command that ran. An error of another type has
// its say by a method ExitStatus.
func Of(err error) int {
	var other interface{ ExitStatus() int }
	if errors.As(err, &other) {
		return other.ExitStatus()
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return -1
	}
	if n := signalOf(exit); n > 0 {
		return 128 + n
	}
	return exit.ExitCode()
}
