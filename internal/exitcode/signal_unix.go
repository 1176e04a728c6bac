//go:build unix

package exitcode

import (
	"os/exec"
	"syscall"
)

func signalOf(exit *exec.ExitError) int {
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal())
	}
	return 0
}
