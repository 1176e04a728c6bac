package genlock_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

const holderVariable = "GENLOCK_TEST_HOLDER"

func init() { roles[holderVariable] = func() role { return new(holder) } }

// holder is a process that takes the lock, and releases it when its input ends.
type holder struct{ Lock string }

func (h *holder) run() error {
	var once sync.Once
	lock := genlock.New(h.Lock, &genlock.Options{OnEvent: func(e genlock.Event) {
		if e.Kind == genlock.EventWaiting {
			once.Do(func() { fmt.Println("waiting") })
		}
	}})
	lease, err := lock.Acquire(context.Background())
	if err != nil {
		return err
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	return lease.Release()
}

// other is such a process, seen from outside.
type other struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.Closer
	says  *bufio.Scanner
}

func startHolder(t *testing.T, path string) *other {
	t.Helper()
	o := &other{t: t, cmd: start(t, holderVariable, &holder{path})}
	o.cmd.Stderr = os.Stderr
	stdin, err := o.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := o.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o.stdin, o.says = stdin, bufio.NewScanner(stdout)
	t.Cleanup(func() { o.kill() })
	return o
}

func (o *other) expect(word string) {
	o.t.Helper()
	if !o.says.Scan() || o.says.Text() != word {
		o.t.Fatalf("the other process says %q, want %q (%v)", o.says.Text(), word, o.says.Err())
	}
}

func (o *other) release() { o.stdin.Close() }

func (o *other) kill() {
	o.cmd.Process.Kill()
	o.cmd.Wait()
}

// waiting is an Acquire of this process that has begun to wait.
type waiting struct {
	lease *genlock.Lease
	err   error
	done  chan struct{}
}

func startWaiting(ctx context.Context, t *testing.T, path string) *waiting {
	t.Helper()
	w := &waiting{done: make(chan struct{})}
	begun := make(chan struct{})
	var once sync.Once
	lock := genlock.New(path, &genlock.Options{OnEvent: func(e genlock.Event) {
		if e.Kind == genlock.EventWaiting {
			once.Do(func() { close(begun) })
		}
	}})
	go func() {
		defer close(w.done)
		if w.lease, w.err = lock.Acquire(ctx); w.err == nil {
			w.err = w.lease.Release()
		}
	}()
	select {
	case <-begun:
	case <-w.done:
		t.Fatal("it did not wait: ", w.err)
	}
	return w
}

// headed waits until somebody is at the head of the line.
func headed(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(filepath.Join(path+protocol.RootSuffix, protocol.QueueName))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EAGAIN {
			return
		}
		unix.Flock(int(f.Fd()), unix.LOCK_UN)
		if time.Now().After(deadline) {
			t.Fatal("nobody is at the head of the line")
		}
	}
}

// TestWoken: a release, a crash of the holder, and a cancel end a wait at once. A
// waiter that only tries by itself would take almost a second. The best of a few
// tries counts, because the machine may be busy.
func TestWoken(t *testing.T) {
	const tries, bound = 5, 300 * time.Millisecond
	cause := errors.New("enough")
	for name, end := range map[string]struct {
		do   func(*other, context.CancelCauseFunc)
		want error
	}{
		"release": {func(o *other, _ context.CancelCauseFunc) { o.release() }, nil},
		"crash":   {func(o *other, _ context.CancelCauseFunc) { o.cmd.Process.Kill() }, nil},
		"cancel":  {func(_ *other, cancel context.CancelCauseFunc) { cancel(cause) }, cause},
	} {
		t.Run(name, func(t *testing.T) {
			best := time.Hour
			for try := 0; try < tries && best > bound; try++ {
				path := filepath.Join(fastDir(t), "k.lock")
				o := startHolder(t, path)
				o.expect("held")
				ctx, cancel := context.WithCancelCause(t.Context())
				w := startWaiting(ctx, t, path)
				headed(t, path)
				begun := time.Now()
				end.do(o, cancel)
				<-w.done
				best = min(best, time.Since(begun))
				if !errors.Is(w.err, end.want) {
					t.Fatal(w.err)
				}
				cancel(nil)
				o.kill()
			}
			t.Logf("after %s", best)
			if best > bound {
				t.Errorf("it took %s", best)
			}
		})
	}
}

// TestBadHead: a head of the line that is stopped, or killed, blocks nobody.
func TestBadHead(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"stopped": syscall.SIGSTOP, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(fastDir(t), "k.lock")
			first := startHolder(t, path)
			first.expect("held")
			head := startHolder(t, path)
			head.expect("waiting")
			headed(t, path)
			if err := head.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			w := startWaiting(t.Context(), t, path)
			begun := time.Now()
			first.release()
			<-w.done
			if w.err != nil {
				t.Fatal(w.err)
			}
			t.Logf("after %s", time.Since(begun))
			if signal == syscall.SIGSTOP {
				head.cmd.Process.Signal(syscall.SIGCONT)
				head.expect("held")
			}
		})
	}
}

// TestWaitingWritesNothing (rule 4), not even on a file system where it could not.
func TestWaitingWritesNothing(t *testing.T) {
	path := filepath.Join(fastDir(t), "k.lock")
	o := startHolder(t, path)
	o.expect("held")
	looks := make(chan struct{}, 1)
	world := *env.From(t.Context())
	world.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if op.Writes() {
			t.Error("a waiter does: ", op)
			return unix.EROFS
		}
		if _, ok := protocol.ParseWitness(filepath.Base(op.Path)); ok && op.Verb == faultfs.Flock {
			select {
			case looks <- struct{}{}:
			default:
			}
		}
		return nil
	}})
	ctx, cancel := context.WithCancel(env.With(t.Context(), &world))
	w := startWaiting(ctx, t, path)
	headed(t, path)
	for range 3 { // one before it watches, one after, one by itself
		<-looks
	}
	cancel()
	<-w.done
	if !errors.Is(w.err, context.Canceled) || !errors.Is(w.err, genlock.ErrHeld) {
		t.Error(w.err)
	}
}

// TestQueueOfOthers: in a root that another program made there is no queue, until
// somebody who had to wait holds the lock.
func TestQueueOfOthers(t *testing.T) {
	path := filepath.Join(fastDir(t), "k.lock")
	o := startHolder(t, path)
	o.expect("held")
	queue := filepath.Join(path+protocol.RootSuffix, protocol.QueueName)
	if err := os.Remove(queue); err != nil {
		t.Fatal(err)
	}
	w := startWaiting(t.Context(), t, path)
	if _, err := os.Lstat(queue); err == nil {
		t.Error("a waiter made the queue")
	}
	o.release()
	<-w.done
	if w.err != nil {
		t.Fatal(w.err)
	}
	if _, err := os.Lstat(queue); err != nil {
		t.Error("the holder did not make the queue: ", err)
	}
}
