package oldprograms

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"syscall"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

// New is a process of the old program of a dialect; nil for none that is known.
func New(dialect string, self Self) Program {
	switch dialect {
	case "mkdir":
		return &Mkdir{Self: self}
	case "v2":
		return &V2{Self: self}
	case "token":
		return &Token{Self: self}
	case "heartbeat":
		return &Heartbeat{Self: self}
	}
	return nil
}

// Here is this very process, on this machine.
func Here(fs vfs.FS) Self {
	host, _ := os.Hostname()
	return Self{FS: fs, Host: host, PID: os.Getpid(), Now: time.Now, Alive: signalled, NewID: func() string {
		var id [16]byte
		rand.Read(id[:])
		return hex.EncodeToString(id[:])
	}}
}

// signalled is what signal 0 says: EPERM is alive.
func signalled(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || os.IsPermission(err)
}

// Enter is how an emulated program takes its turns; see Turns.Run. What it throws is
// its own matter: its user tries again.
func Enter(p Program, lock string) func() (leave func() error, err error) {
	return func() (func() error, error) {
		for {
			if got, err := p.Try(lock); got && err == nil {
				return func() error { p.Release(lock); return nil }, nil
			}
			time.Sleep(time.Millisecond) // it polls
		}
	}
}
