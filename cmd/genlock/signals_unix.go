//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

var (
	// endSignals end a wait, and reach the command once it runs.
	endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
	// jobSignals are ours only as long as the command runs: before that,
	// stopping us means just that.
	jobSignals = []os.Signal{syscall.SIGTSTP, syscall.SIGCONT}
)

// ignoreBrokenPipes lets a write to a closed stderr fail instead of killing us.
// Being told does that without ignoring the signal, which commands would inherit.
func ignoreBrokenPipes() {
	if !signal.Ignored(syscall.SIGPIPE) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
}

func signalNumber(s os.Signal) int {
	n, _ := s.(syscall.Signal)
	return int(n)
}

func signalName(s os.Signal) string {
	if name := unix.SignalName(syscall.Signal(signalNumber(s))); name != "" {
		return name
	}
	return s.String()
}
