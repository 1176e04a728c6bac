package cases

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// hold takes the lock, perhaps starts a command under it, and does what standard
// input says, until that ends.
type hold struct {
	Lock    string
	World   world
	Command []string `json:",omitempty"`
	// ready is called when it holds.
	ready func()
}

// lingering is a command that runs until standard input ends.
var lingering = []string{"linger"}

func (h *hold) run() error {
	ctx, _ := h.World.in()
	options := &genlock.Options{About: protocol.About{Label: "the holder"}}
	lease, err := genlock.New(h.Lock, options).Acquire(ctx)
	if err != nil {
		return err
	}
	if len(h.Command) > 0 {
		if h.Command[0] == lingering[0] {
			h.Command = self("linger", linger{})
		}
		cmd := exec.Command(h.Command[0], h.Command[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := lease.Start(cmd); err != nil {
			return err
		}
		fmt.Println("child", cmd.Process.Pid)
		go cmd.Wait()
	}
	fmt.Println("held", lease.Generation())
	if h.ready != nil {
		h.ready()
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "check":
			fmt.Println("check", lease.Check())
		case "release":
			fmt.Println("release", lease.Release())
		}
	}
	return nil
}

// wait waits for the lock, tells what it sees meanwhile, and releases it.
type wait struct {
	Lock  string
	World world
	Wait  time.Duration
}

func (w *wait) run() error {
	ctx, _ := w.World.in()
	lock := genlock.New(w.Lock, &genlock.Options{Wait: w.Wait, OnEvent: func(e genlock.Event) {
		switch {
		case e.Kind == genlock.EventWaiting && e.Seen != nil:
			fmt.Println("waiting", e.Seen.VerdictText(), e.Seen.Evidence)
		case e.Kind == genlock.EventReclaimed:
			fmt.Println("reclaimed", e.Evidence)
		}
	}})
	lease, err := lock.Acquire(ctx)
	if errors.Is(err, genlock.ErrHeld) {
		fmt.Println("gave", "up", err)
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Println("acquired", time.Now().UnixNano())
	return lease.Release()
}

// look looks at the lock as status does and then, if told to, tries to take it.
type look struct {
	Lock  string
	World world
	Try   bool
	// Only: look only in the PID namespace of this number.
	Only string `json:",omitempty"`
	// Dialects are those of old protocols by whose rules it judges.
	Dialects string `json:",omitempty"`
}

// seen is what somebody saw of a lock.
type seen struct {
	State, Verdict, Evidence, Next string
	Generation                     protocol.ID
	Holder                         *observer.Holder
	Took                           time.Duration
	// Taken: the lock could be taken, within TakenIn. Otherwise Err says why not.
	Taken, Held bool
	TakenIn     time.Duration
	Err         string
	// Asked are the processes that were looked at, Namespace is where.
	Asked     []int
	Namespace string
}

func (l *look) run() error { return json.NewEncoder(os.Stdout).Encode(l.look()) }

func (l *look) look() (s seen) {
	ctx, m := l.World.in()
	s.Namespace = string(m.self.PIDNS)
	if l.Only != "" && l.Only != s.Namespace {
		return s
	}
	lock := genlock.New(l.Lock, &genlock.Options{Dialects: l.Dialects})
	began := time.Now()
	o, err := lock.Status(ctx)
	s.Took = time.Since(began)
	if o != nil {
		s.State, s.Verdict, s.Evidence, s.Next = string(o.State), o.VerdictText(), o.Evidence, o.Next
		s.Generation, s.Holder = o.Generation, o.Holder
	}
	s.note(err)
	if l.Try && err == nil {
		s.try(ctx, lock, began)
	}
	s.Asked = m.asked
	return s
}

func (s *seen) try(ctx context.Context, lock *genlock.Lock, began time.Time) {
	lease, err := lock.TryAcquire(ctx)
	s.note(err)
	if err != nil {
		s.Held = errors.Is(err, genlock.ErrHeld)
		return
	}
	s.Taken, s.TakenIn = true, time.Since(began)
	s.note(lease.Release())
}

func (s *seen) note(err error) {
	if err != nil && s.Err == "" {
		s.Err = err.Error()
	}
}

// linger lives until standard input ends.
type linger struct{}

func (linger) run() error {
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// burn uses a processor until standard input ends.
type burn struct{}

func (burn) run() error {
	var spins atomic.Uint64
	go func() {
		for {
			spins.Add(1)
		}
	}()
	return linger{}.run()
}
