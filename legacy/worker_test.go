package legacy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/legacy"
)

const workerEnv = "GENLOCK_LEGACY_WORKER"

func TestMain(m *testing.M) {
	spec := os.Getenv(workerEnv)
	if spec == "" {
		os.Exit(m.Run())
	}
	var w worker
	if err := json.Unmarshal([]byte(spec), &w); err != nil {
		panic(err)
	}
	if err := w.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// worker is a process that takes a lock: ours, or an emulated old program. It tells
// what it does line by line, and stops where it is told to until it may go on.
type worker struct {
	// Old is the old program; "" is ours, which holds the old locks of List.
	Old, List, Lock string
	// Stop is the number of the step before which it stops, or is killed if
	// Die; 0 is never. Steps are those that another process can notice.
	Stop int
	Die  bool
}

// What a worker says.
const (
	sayStopped = "stopped" // before the step; it goes on with the next line that it reads
	sayHeld    = "held"    // and holds it until the next line; then it says sayLost or sayKept
	sayNot     = "not held"
	sayLost    = "lost"
	sayKept    = "kept"
)

func (w worker) command(t *testing.T) *exec.Cmd {
	t.Helper()
	data, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerEnv+"="+string(data), "GORACE=atexit_sleep_ms=0") // else each lingers for a second
	return cmd
}

func (w worker) run() error {
	in := bufio.NewReader(os.Stdin)
	next := func() { in.ReadString('\n') }
	n := 0
	fs := faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if !w.step(op) {
			return nil
		}
		if n++; n == w.Stop {
			fmt.Println(sayStopped)
			if w.Die {
				self, err := os.FindProcess(os.Getpid())
				if err != nil {
					return err
				}
				self.Kill()
				select {}
			}
			next()
		}
		return nil
	}})
	check, release, err := w.take(fs)
	if err != nil {
		return err
	}
	if check == nil {
		fmt.Println(sayNot)
		return nil
	}
	fmt.Println(sayHeld)
	if !w.Die {
		next()
	}
	said := sayKept
	if errors.Is(check(), legacy.ErrLost) {
		said = sayLost
	}
	if err := release(); err != nil && !errors.Is(err, legacy.ErrLost) {
		return err
	}
	fmt.Println(said)
	return nil
}

func (w worker) step(op faultfs.Op) bool {
	switch {
	case w.Die:
		return op.Writes() || op.Verb == faultfs.Touch // killed before a look is killed before what follows
	case w.Old != "":
		return toOld(op)
	}
	return toUs(op)
}

// take gives it some rounds, as a loop would.
func (w worker) take(fs vfs.FS) (check, release func() error, err error) {
	const rounds = 5
	if w.Old == "" {
		set, err := legacy.Parse(w.List)
		if err != nil {
			return nil, nil, err
		}
		e := *env.From(context.Background())
		e.FS = fs
		p := &proc{ctx: env.With(context.Background(), &e), lock: w.Lock}
		l, _, err := p.acquire(set, true, rounds)
		if l == nil {
			return nil, nil, err
		}
		return l.Check, l.Release, nil
	}
	program := oldprograms.New(w.Old, oldprograms.Here(fs))
	for range rounds {
		if got, err := program.Try(w.Lock); got && err == nil {
			return func() error { return nil }, func() error { program.Release(w.Lock); return nil }, nil
		}
	}
	return nil, nil, nil
}

// running is a worker, or a real old program, that was started.
type running struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func begin(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{t: t, cmd: cmd}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.in, r.out, cmd.Stderr = in, bufio.NewReader(out), os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.kill)
	return r
}

// says is its next line; "" when it has ended.
func (r *running) says() string {
	line, err := r.out.ReadString('\n')
	if err != nil {
		return ""
	}
	return line[:len(line)-1]
}

func (r *running) goOn() { io.WriteString(r.in, "\n") }

func (r *running) untilHeld() {
	r.t.Helper()
	if said := r.says(); said != sayHeld {
		r.t.Fatalf("%s says %q", r.cmd.Args, said)
	}
}

func (r *running) kill() {
	r.cmd.Process.Kill()
	r.cmd.Wait()
}

type wall struct{}

func (wall) Now() time.Time { return time.Now() }

func (wall) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
