//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminal is the one that controls us, wherever our standard input comes from. It
// stays open until we end: a signal may need it at any time.
type terminal struct {
	f       *os.File
	own     int  // our process group
	ignored bool // SIGTTOU was ignored when we were started
}

// controllingTerminal is nil when there is none. The command may ask at it although
// nothing of ours is connected to it, as sudo does for a password.
func controllingTerminal() *terminal {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	t := &terminal{f: f, own: unix.Getpgrp(), ignored: signal.Ignored(syscall.SIGTTOU)}
	if t.holder() < 0 {
		return nil
	}
	return t
}

func (t *terminal) fd() int { return int(t.f.Fd()) }

// holder is the group in the foreground, -1 if that cannot be told.
func (t *terminal) holder() int {
	pgrp, err := unix.IoctlGetInt(t.fd(), unix.TIOCGPGRP)
	if err != nil {
		return -1
	}
	return pgrp
}

func (t *terminal) foreground() bool { return t.holder() == t.own }

// give puts a group into the foreground. SIGTTOU must be ignored for that from the
// background, which it is as long as the command runs.
func (t *terminal) give(pgrp int) { unix.IoctlSetPointerInt(t.fd(), unix.TIOCSPGRP, pgrp) }

// ignoreOutput lets us write and give the terminal back from the background.
// Commands started meanwhile would inherit it: none is.
func (t *terminal) ignoreOutput() { signal.Ignore(syscall.SIGTTOU) }

func (t *terminal) heedOutput() {
	if !t.ignored {
		signal.Reset(syscall.SIGTTOU)
	}
}

func (t *terminal) orphaned() bool { return orphaned(t.own) }

// orphaned tells whether nobody outside our group could continue it: our parent
// belongs to another session, or to our own group.
func orphaned(own int) bool {
	parent := os.Getppid()
	pgrp, err := unix.Getpgid(parent)
	if err != nil || pgrp == own {
		return true
	}
	theirs, err := unix.Getsid(parent)
	if err != nil {
		return true
	}
	ours, err := unix.Getsid(0)
	return err != nil || theirs != ours
}

// ofShell tells whether a group is that of a shell whose job we are, as far as that can
// be seen: of our parent, or of the session's leader.
func ofShell(pgrp int) bool {
	parent, err := unix.Getpgid(os.Getppid())
	if err == nil && parent == pgrp {
		return true
	}
	leader, err := unix.Getsid(0)
	return err == nil && leader == pgrp
}

// isTerminal tells whether f is a terminal.
func isTerminal(f *os.File) bool { return width(f) >= 0 }

// width is the number of columns of the terminal f, -1 if it is none, 0 if unknown.
func width(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return -1
	}
	return int(size.Col)
}

// inForeground tells whether the terminal f is ours to draw on now.
func inForeground(f *os.File) bool {
	pgrp, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && pgrp == unix.Getpgrp()
}
