//go:build unix

package main

import (
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
)

// job is the running command: a process group of its own which, like a job of a
// shell, has the terminal while it runs.
type job struct {
	pid int
	tty *terminal // nil when no terminal controls us
	// lent: the terminal was ours to give to the command, and nobody else has
	// taken it since, as far as we know.
	lent atomic.Bool
}

// startJob starts cmd by start, which may add to it. In a pipeline the terminal
// stays with our own group, where what stands before or behind us may want to
// read from it, until the command asks for it.
func startJob(cmd *exec.Cmd, start func(*exec.Cmd) error) (*job, error) {
	j := &job{tty: controllingTerminal()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	tty := j.tty
	if tty != nil && tty.foreground() && isTerminal(os.Stdin) && isTerminal(os.Stdout) {
		cmd.SysProcAttr.Foreground, cmd.SysProcAttr.Ctty = true, tty.fd()
		j.lent.Store(true)
	}
	if err := start(cmd); err != nil {
		return nil, err
	}
	j.pid = cmd.Process.Pid
	cmd.Process.Release() // wait does it by number, to see the command stop
	if tty != nil {
		// From now on we write from the background.
		tty.ignoreOutput()
	}
	return j, nil
}

// wait returns when the command has ended: nil if it did so well, otherwise a
// *commandError. A command that stops meanwhile stops us.
func (j *job) wait() error {
	defer j.giveBack()
	for {
		var ws syscall.WaitStatus
		_, err := syscall.Wait4(j.pid, &ws, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return os.NewSyscallError("wait4", err)
		case ws.Stopped():
			j.stopped(ws.StopSignal())
		case ws.Signaled():
			n := ws.Signal()
			return &commandError{exitSignal + int(n), "signal: " + n.String()}
		case ws.ExitStatus() != 0:
			return &commandError{ws.ExitStatus(), "exit status " + strconv.Itoa(ws.ExitStatus())}
		case ws.Exited():
			return nil
		}
	}
}

// giveBack takes the terminal back, also from a group that the command has made and
// put into the foreground.
func (j *job) giveBack() {
	if j.tty == nil {
		return
	}
	if h := j.tty.holder(); h == j.pid || j.lent.Load() && !ofShell(h) {
		j.tty.give(j.tty.own)
	}
	j.tty.heedOutput()
}

// stopped follows a command that stopped, so that whoever controls our job sees it
// stop as a whole. SIGCONT to us will resume the command. Who sent it a SIGSTOP meant
// the command alone, unless the terminal would be stuck with it.
func (j *job) stopped(by syscall.Signal) {
	t := j.tty
	if t == nil {
		if by == syscall.SIGTSTP && !orphaned(syscall.Getpgrp()) {
			syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		}
		return
	}
	asks := by == syscall.SIGTTIN || by == syscall.SIGTTOU
	switch {
	case asks && t.foreground():
		j.resume()
	case by == syscall.SIGSTOP && t.holder() != j.pid:
	case t.orphaned():
		// Nobody could ever continue us. The kernel would not stop such a
		// job, and ends one that wants a terminal it cannot have.
		if asks {
			j.kill(syscall.SIGHUP)
		}
		j.resume()
	default:
		if t.holder() == j.pid {
			t.give(t.own)
		}
		j.lent.Store(false)
		syscall.Kill(-t.own, syscall.SIGSTOP)
	}
}

// signal passes s on to the command's group.
func (j *job) signal(s os.Signal) {
	if s == syscall.SIGCONT {
		j.resume()
		return
	}
	j.kill(s.(syscall.Signal))
}

func (j *job) resume() {
	if j.tty != nil {
		switch j.tty.holder() {
		case j.tty.own:
			j.tty.give(j.pid)
			j.lent.Store(true)
		case j.pid:
		default:
			j.lent.Store(false) // perhaps a shell has it, which took us for stopped
		}
	}
	j.kill(syscall.SIGCONT)
}

// terminate asks the command to end, also a stopped one; kill makes it.
func (j *job) terminate() {
	j.kill(syscall.SIGTERM)
	j.kill(syscall.SIGCONT)
}

func (j *job) destroy() { j.kill(syscall.SIGKILL) }

func (j *job) kill(s syscall.Signal) { syscall.Kill(-j.pid, s) }
