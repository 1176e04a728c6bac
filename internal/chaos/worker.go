//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/protocol"
)

// task is what a process of a round is told.
type task struct {
	Plan plan
	Role string // worker, old, house or command
	Who  string
	// Key is that of an old program, or of a command, which keeps Gen.
	Key  int
	Gen  string
	Hold time.Duration
	// Members of a house. Proc: it mounts the processes of its namespace.
	Members int
	Proc    bool
}

// worker is one process that uses the locks.
type worker struct {
	task
	history  *history
	random   *rand.Rand
	sections map[string]*os.File
	locks    map[string]*genlock.Lock
}

func newWorker(t task) (*worker, error) {
	w := &worker{task: t, random: t.Plan.source(t.Who), sections: make(map[string]*os.File), locks: make(map[string]*genlock.Lock)}
	var err error
	if w.history, err = openHistory(t.Plan.history()); err != nil {
		return nil, err
	}
	for _, k := range t.Plan.Keys {
		if w.sections[k.Name], err = os.OpenFile(t.Plan.section(k.Name), os.O_CREATE|os.O_RDWR, 0o666); err != nil {
			return nil, err
		}
		w.locks[k.Name] = genlock.New(k.Lock, k.options())
	}
	return w, nil
}

func (k *key) options() *genlock.Options {
	return &genlock.Options{Format: protocol.Format(k.Format), Dialects: k.Dialects, Hold: k.Hold}
}

// dieWithParent ends this process when the one that started it is gone.
func dieWithParent() {
	io.Copy(io.Discard, os.Stdin)
	os.Exit(3)
}

// work takes turns until the round is over.
func (w *worker) work() {
	for now() < w.Plan.Until {
		t := w.Plan.draw(w.random)
		w.take(t)
	}
}

func (w *worker) say(e event) {
	if e.At == 0 {
		e.At = now()
	}
	e.Who = w.Who
	w.history.say(e)
}

func (w *worker) take(t turn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(max(w.Plan.Until-now(), 0))+patience)
	defer cancel()
	since := now()
	switch t.verb {
	case "acquire", "remove", "command":
		w.tenure(ctx, t)
	case "try":
		lease, err := w.locks[t.key.Name].TryAcquire(ctx)
		w.use(lease, err, since, t)
	case "wait":
		o := t.key.options()
		o.Wait = t.wait + 1
		lease, err := genlock.New(t.key.Lock, o).Acquire(ctx)
		w.use(lease, err, since, t)
	case "cancel":
		ctx, cancel := context.WithCancel(ctx)
		timer := time.AfterFunc(t.wait, cancel)
		defer timer.Stop()
		defer cancel()
		w.tenure(ctx, t)
	case "do", "rebuild":
		w.do(ctx, t)
	case "break":
		w.breakHolder(ctx, t)
	default:
		w.operate(ctx, t)
	}
}

// patience is how long somebody may wait beyond the end of a round, in which nobody is
// killed or stopped and nothing is spoilt any more.
const patience = 60 * time.Second

func (w *worker) tenure(ctx context.Context, t turn) {
	since := now()
	lease, err := w.locks[t.key.Name].Acquire(ctx)
	w.use(lease, err, since, t)
}

// use is a turn under the lock.
func (w *worker) use(lease *genlock.Lease, err error, since int64, t turn) {
	if err != nil {
		w.failed(t, since, err)
		return
	}
	gen := string(lease.Generation())
	w.say(event{What: enter, Since: since, Key: t.key.Name, Gen: gen})
	out := w.goInside(t.key, gen)
	switch t.verb {
	case "remove":
		w.say(event{What: removing, Key: t.key.Name, Gen: gen})
		since := now()
		if err := os.Remove(t.key.Artifact); err != nil && !errors.Is(err, os.ErrNotExist) {
			w.failed(t, since, err)
		}
	case "command":
		w.command(lease, t)
	default:
		time.Sleep(t.hold)
	}
	since = now()
	if err := lease.Check(); errors.Is(err, genlock.ErrLost) {
		w.say(event{What: lost, Since: since, Key: t.key.Name, Gen: gen, Text: err.Error()})
	} else if err != nil {
		w.failed(t, since, err)
	}
	out()
	w.say(event{What: leave, Key: t.key.Name, Gen: gen})
	since = now()
	err = lease.Release()
	text := "ok"
	switch {
	case errors.Is(err, genlock.ErrLost):
		text = "lost"
	case err != nil:
		text = err.Error()
	}
	w.say(event{What: released, Since: since, Key: t.key.Name, Gen: gen, Text: text})
}

// failed notes an error: an honest no, or one that needs a cause.
func (w *worker) failed(t turn, since int64, err error) {
	e := event{What: odd, Since: since, Key: t.key.Name, Text: string(t.verb) + ": " + err.Error()}
	if errors.Is(err, genlock.ErrHeld) || errors.Is(err, fence.ErrMoved) ||
		t.verb == "cancel" && errors.Is(err, context.Canceled) {
		e.What, e.Text = refused, string(t.verb)
	}
	w.say(e)
}
