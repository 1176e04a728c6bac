package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
)

// interrupts decides what a signal does: as long as there is no command it ends
// the wait for the lock, afterwards it goes to the command.
type interrupts struct {
	cancel context.CancelCauseFunc
	c      chan os.Signal

	mu  sync.Mutex
	job *job
	by  error // what ended us
}

// catchSignals begins. What was ignored when we were started stays ignored: nohup
// and shells that run us in the background rely on it.
func catchSignals(cancel context.CancelCauseFunc) *interrupts {
	i := &interrupts{cancel: cancel, c: make(chan os.Signal, 16)}
	for _, s := range endSignals {
		if !signal.Ignored(s) {
			signal.Notify(i.c, s)
		}
	}
	ignoreBrokenPipes()
	go func() {
		for s := range i.c {
			i.one(s)
		}
	}()
	return i
}

func (i *interrupts) one(s os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.job != nil:
		i.job.signal(s)
	case endsWait(s):
		i.by = &signalError{s}
		i.cancel(i.by)
	}
}

// begin starts the command, unless a signal came before. No signal comes between
// the start and the moment from which the command gets them.
func (i *interrupts) begin(start func() (*job, error)) (*job, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.by != nil {
		return nil, i.by
	}
	for _, s := range jobSignals {
		if !signal.Ignored(s) {
			signal.Notify(i.c, s)
		}
	}
	j, err := start()
	i.job = j
	return j, err
}

// end says that the command ended.
func (i *interrupts) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.job = nil
	if len(jobSignals) > 0 {
		signal.Reset(jobSignals...)
	}
}

// ended is the signal that came while there was no command, if any.
func (i *interrupts) ended() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.by
}

func endsWait(s os.Signal) bool {
	for _, e := range endSignals {
		if s == e {
			return true
		}
	}
	return false
}

// signalError is a signal that ended genlock's own work.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "interrupted (" + signalName(e.signal) + ")" }
func (e *signalError) number() int   { return signalNumber(e.signal) }
