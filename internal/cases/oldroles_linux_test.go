package cases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// old is an old program that takes the lock and holds it until standard input ends.
type old struct {
	Dialect, Lock string
	// Stale is the age by which one of heartbeat judges.
	Stale time.Duration `json:",omitempty"`
	// Beside: it says that it waits as soon as it does.
	Beside bool `json:",omitempty"`
}

func (o *old) run() error {
	program := oldprograms.New(o.Dialect, oldprograms.Here(vfs.OS()))
	if h, ok := program.(*oldprograms.Heartbeat); ok {
		h.Stale = o.Stale
	}
	for said := false; ; time.Sleep(time.Millisecond) {
		if got, err := program.Try(o.Lock); got && err == nil {
			break
		}
		if o.Beside && !said {
			said = true
			fmt.Println("waiting")
			go func() { linger{}.run(); os.Exit(0) }()
		}
	}
	fmt.Println("held")
	return linger{}.run()
}

// late wants the lock and stops itself right before the rename by which it takes it
// from somebody: one of From, or to a place that To tells.
type late struct{ Lock, Dialects, From, To string }

func (l *late) run() error {
	e := *env.From(context.Background())
	e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if op.Verb == faultfs.Rename && (op.Path == l.From || l.To != "" && strings.Contains(op.To, l.To)) {
			l.From, l.To = "", ""
			return stopHere()
		}
		return nil
	}})
	lease, err := genlock.New(l.Lock, &genlock.Options{Dialects: l.Dialects}).TryAcquire(env.With(context.Background(), &e))
	if err == nil {
		err = lease.Release()
	}
	fmt.Println("answer", err)
	return nil
}

// oldTurns is an old program that takes turns; ours are runTurns.
type oldTurns struct {
	Dialect, Lock string
	Turns         oldprograms.Turns
}

func (o *oldTurns) run() error {
	enter := oldprograms.Enter(oldprograms.New(o.Dialect, oldprograms.Here(vfs.OS())), o.Lock)
	return done(o.Turns.Run(o.Dialect, enter, func(error) bool { return false }))
}

func done(stats oldprograms.Stats, err error) error {
	if err != nil {
		return err
	}
	fmt.Print("done ")
	return json.NewEncoder(os.Stdout).Encode(stats)
}

// runTurns takes each turn by one run of the command, which runs a turn. The command
// waits for it to say so, works, and ends.
type runTurns struct {
	Genlock, Lock, Dialects string
	Format                  protocol.Format
	Turns                   oldprograms.Turns
}

func (r *runTurns) run() error { return done(r.Turns.Run(oldprograms.Ours, r.enter, lostLock)) }

// lostLock tells whether the command said that its lock was taken away.
func lostLock(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 76
}

// enter returns when CMD runs; it goes on when its standard input ends. A lock that was
// taken away before is tried for again.
func (r *runTurns) enter() (leave func() error, err error) {
	for {
		if leave, err = r.start(); !lostLock(err) {
			return leave, err
		}
	}
}

func (r *runTurns) start() (leave func() error, err error) {
	cmd := exec.Command(r.Genlock, "run", "-q", "--format", string(r.Format), "--dialect", r.Dialects, "--hold", r.Lock,
		"--", "sh", "-c", "echo in; read _")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := fmt.Fscanln(out, new(string)); err != nil {
		return nil, errors.Join(err, cmd.Wait())
	}
	return func() error {
		fmt.Fprintln(in)
		return cmd.Wait()
	}, nil
}
