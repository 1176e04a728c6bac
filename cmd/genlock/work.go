package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// killAfter is how long a command that lost the lock may take to end after TERM.
const killAfter = 5 * time.Second

// work is one invocation of run.
type work struct {
	flags  *runFlags
	argv   []string
	locks  []*genlock.Lock
	names  map[*genlock.Lock]string // as given
	report reporter
	sig    *interrupts
	notes  sync.Map // of generations that were broken, by id
}

// run does it all and reports the outcome.
func (f *runFlags) run(locks, argv []string) error {
	report := f.reporter()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	w := &work{flags: f, argv: argv, names: make(map[*genlock.Lock]string), report: report, sig: catchSignals(cancel)}
	options := f.options(argv)
	options.OnEvent, options.EventEvery = w.event, report.every()
	for _, name := range locks {
		lock := genlock.New(name, options)
		w.locks = append(w.locks, lock)
		w.names[lock] = name
	}
	var err error
	if f.artifact == "" {
		err = w.plain(ctx)
	} else {
		err = w.build(ctx)
	}
	if by := w.sig.ended(); by != nil && !errors.Is(err, by) {
		err = errors.Join(by, err)
	}
	o := outcomeOf(about(err, w.locks...), f.conflict)
	report.exit(o)
	return exitStatus(o.code)
}

// plain runs the command under the locks.
func (w *work) plain(ctx context.Context) error {
	leases, err := w.acquire(ctx)
	if err != nil {
		return err
	}
	work := ctx
	for _, l := range leases {
		work = l.Context(work)
	}
	err = w.command(work, leases, "")
	failed, isFailed := errors.AsType[ended](err)
	for _, l := range slices.Backward(leases) {
		if isFailed {
			l.Failed(failed.ExitStatus(), failed.Error())
		}
		err = errors.Join(err, l.Release())
	}
	return err
}

// acquire takes all locks. -w bounds the wait for all of them together.
func (w *work) acquire(ctx context.Context) ([]*genlock.Lease, error) {
	if d := w.flags.wait.Duration; d > 0 && len(w.locks) > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	return genlock.AcquireAll(ctx, w.locks...)
}

// ended is an error that has an exit status to record.
type ended interface {
	error
	ExitStatus() int
}

// build runs the command only if the artifact is not there.
func (w *work) build(ctx context.Context) error {
	a := genlock.Artifact{Path: w.flags.artifact, Replace: w.flags.rebuild, InPlace: true}
	if w.flags.verify != "" {
		a.Verify = w.verify
	}
	_, err := w.locks[0].Do(ctx, a, func(ctx context.Context, b *genlock.Work) error {
		return w.command(ctx, []*genlock.Lease{b.Lease}, b.Out)
	})
	return err
}

// command runs CMD and returns when it has ended, whatever happened meanwhile.
func (w *work) command(ctx context.Context, leases []*genlock.Lease, out string) error {
	argv := fillIn(w.argv, out)
	j, err := w.sig.begin(func() (*job, error) {
		j, cmd, err := w.start(leases, argv, out)
		if errors.Is(err, syscall.ENOEXEC) {
			// A script without a first line for it is sh's, as everywhere.
			j, _, err = w.start(leases, append([]string{"/bin/sh", cmd.Path}, argv[1:]...), out)
		}
		return j, err
	})
	if err != nil {
		return err
	}
	stop := w.whenLost(ctx, leases, j)
	defer stop()
	defer w.sig.end()
	return j.wait()
}

func (w *work) start(leases []*genlock.Lease, argv []string, out string) (*job, *exec.Cmd, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil // whoever puts . into PATH means it
	}
	if cmd.Err != nil {
		return nil, cmd, notRunnable(argv[0], cmd.Err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = os.Environ()
	if out != "" {
		cmd.Env = append(cmd.Env, genlock.OutVariable+"="+out)
	}
	start := func(cmd *exec.Cmd) error { return genlock.StartAll(cmd, leases...) }
	if w.flags.close {
		cmd.Env = append(cmd.Env, genlock.EnvironAll(leases...)...)
		start = (*exec.Cmd).Start
	}
	j, err := startJob(cmd, start)
	if err != nil && !errors.Is(err, genlock.ErrLost) && !errors.Is(err, genlock.ErrReleased) {
		err = notRunnable(argv[0], err)
	}
	return j, cmd, err
}

// notRunnable tells what is not there from what cannot be run.
func notRunnable(name string, err error) error {
	status := exitNotExecutable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		status = exitNotFound
	}
	var lookup *exec.Error
	var path *os.PathError
	switch {
	case errors.As(err, &lookup):
		err = lookup.Err
	case errors.As(err, &path):
		err = path.Err
	}
	return &startError{status, name, err}
}

// whenLost ends the command when the lock is lost under it. The returned function
// calls that off.
func (w *work) whenLost(ctx context.Context, leases []*genlock.Lease, j *job) (stop func()) {
	done := make(chan struct{})
	context.AfterFunc(ctx, func() {
		if !errors.Is(context.Cause(ctx), genlock.ErrLost) {
			return
		}
		select {
		case <-done:
			return
		default:
		}
		w.readNotes(leases)
		j.terminate()
		w.reportLost(leases)
		select {
		case <-done:
		case <-time.After(killAfter):
			j.destroy()
		}
	})
	return func() { close(done) }
}

// readNotes keeps what whoever broke our generations has left to be read. The release
// may be the first to tell of the loss, so it is read before the command is ended.
func (w *work) readNotes(leases []*genlock.Lease) {
	for _, l := range leases {
		seen, err := l.Lock().Status(context.Background())
		if err == nil && seen.Last != nil && seen.Last.Generation == l.Generation() {
			w.notes.Store(l.Generation(), seen.Last)
		}
	}
}

// event adds to a loss who caused it, and why.
func (w *work) event(e genlock.Event) {
	if note, ok := w.notes.Load(e.Generation); ok && e.Kind == genlock.EventLost {
		e.Last = note.(*protocol.Last)
	}
	w.report.event(e)
}

// reportLost tells at once what the releases will tell again.
func (w *work) reportLost(leases []*genlock.Lease) {
	for _, l := range leases {
		if err := l.Check(); errors.Is(err, genlock.ErrLost) {
			w.event(genlock.Event{Kind: genlock.EventLost, Time: time.Now(), Lock: w.names[l.Lock()],
				Generation: l.Generation(), Err: err})
		}
	}
}
