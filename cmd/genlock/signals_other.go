//go:build !unix

package main

import (
	"os"
	"syscall"
)

var (
	endSignals = []os.Signal{os.Interrupt}
	jobSignals []os.Signal
)

func ignoreBrokenPipes() {}

func signalNumber(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return int(n)
	}
	return 2
}

func signalName(s os.Signal) string { return s.String() }
