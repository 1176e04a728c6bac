//go:build unix

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

var ownGroup = &syscall.SysProcAttr{Setpgid: true}

// keepDescriptors keeps from the commands that tests start what whoever runs the tests
// left open for us, such as the lock of a flock(1): a script that limits descriptors
// counts them.
func keepDescriptors() {
	for fd := 3; fd < 256; fd++ {
		unix.CloseOnExec(fd)
	}
}

// signal SIG [group] NAME|PIDFILE signals a started process, or the one whose
// number a file holds, or its process group.
func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 || len(args) == 3 && args[1] != "group" {
		ts.Fatalf("usage: signal SIG [group] NAME|PIDFILE")
	}
	sig := unix.SignalNum("SIG" + args[0])
	if sig == 0 {
		ts.Fatalf("unknown signal %s", args[0])
	}
	pid := pidOf(ts, args[len(args)-1])
	if len(args) == 3 {
		pid = -pid
	}
	ts.Check(syscall.Kill(pid, sig))
}

func pidOf(ts *testscript.TestScript, name string) int {
	if p := processesOf(ts).started[name]; p != nil {
		return p.cmd.Process.Pid
	}
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(name)))
	ts.Check(err)
	if pid <= 1 {
		ts.Fatalf("%s holds %d", name, pid)
	}
	return pid
}

// waitgone PIDFILE waits until the process does not exist any more.
func cmdWaitGone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitgone PIDFILE")
	}
	pid := pidOf(ts, args[0])
	if !poll(func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH }) {
		ts.Fatalf("pid %d does not end", pid)
	}
}

// waitstopped PIDFILE waits until the process is stopped. It needs /proc.
func cmdWaitStopped(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitstopped PIDFILE")
	}
	stat := fmt.Sprintf("/proc/%d/stat", pidOf(ts, args[0]))
	if !poll(func() bool {
		data, _ := os.ReadFile(stat)
		_, state, _ := strings.Cut(string(data), ") ")
		return strings.HasPrefix(state, "T")
	}) {
		ts.Fatalf("%s: not stopped", stat)
	}
}
