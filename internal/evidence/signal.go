//go:build linux || darwin || freebsd

package evidence

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalZero asks whether pid exists in our own PID namespace without touching
// it. It alone proves absence: tables of processes may hide what exists.
func signalZero(pid int) error { return unix.Kill(pid, 0) }

// ask interprets the answer to signal 0. settled is false when something with
// that number exists, be it somebody else's (EPERM).
func ask(kill func(int) error, pid int) (info ProcessInfo, settled bool) {
	switch err := kill(pid); {
	case err == nil, errors.Is(err, syscall.EPERM):
		return ProcessInfo{}, false
	case errors.Is(err, syscall.ESRCH):
		return ProcessInfo{State: Absent}, true
	default:
		return unknown(sayBadAnswer, err), true
	}
}
