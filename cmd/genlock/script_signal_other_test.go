//go:build !unix

package main

import (
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

var ownGroup *syscall.SysProcAttr

func keepDescriptors() {} // Windows hands on none but what it is told to

func cmdSignal(ts *testscript.TestScript, neg bool, args []string)      { ts.Fatalf("no signals here") }
func cmdWaitGone(ts *testscript.TestScript, neg bool, args []string)    { ts.Fatalf("no signals here") }
func cmdWaitStopped(ts *testscript.TestScript, neg bool, args []string) { ts.Fatalf("no signals here") }
