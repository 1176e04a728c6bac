//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// workOld takes turns as an old program does. What it throws is its own matter: its
// user tries again.
func (w *worker) workOld() {
	k := w.Plan.Keys[w.Key]
	program := emulate(k.Old)
	for n := 0; now() < w.Plan.Until; n++ {
		since := now()
		if got, err := program.Try(k.Lock); got && err == nil {
			gen := fmt.Sprintf("old-%s-%d", w.Who, n)
			w.say(event{What: enter, Since: since, Key: k.Name, Gen: gen, Old: true})
			out := w.goInside(k, gen)
			time.Sleep(span(w.random))
			out()
			w.say(event{What: leave, Key: k.Name, Gen: gen, Old: true})
			program.Release(k.Lock)
			time.Sleep(2 * span(w.random)) // so that ours get a turn
		}
		time.Sleep(span(w.random)) // it polls
	}
}

func emulate(name string) oldprograms.Program {
	host, _ := os.Hostname()
	self := oldprograms.Self{FS: vfs.OS(), Host: host, PID: os.Getpid(), Now: time.Now,
		Alive: func(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH },
		NewID: func() string {
			id, err := protocol.NewID()
			if err != nil {
				panic(err)
			}
			return string(id)
		}}
	switch name {
	case "mkdir":
		return &oldprograms.Mkdir{Self: self}
	case "v2":
		return &oldprograms.V2{Self: self}
	case "token":
		return &oldprograms.Token{Self: self}
	default:
		return &oldprograms.Heartbeat{Self: self}
	}
}
