package cases

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// patience bounds every wait for a state. No scenario is judged by it; the longest
// that is played in full takes 90 s.
const patience = 3 * time.Minute

// actor is a process of a scenario.
type actor struct {
	*exec.Cmd
	s     *scene
	in    io.WriteCloser
	lines chan string
	wait  func() error
	err   string // the file that has what it says on standard error
}

// start starts a role in a place. The process ends with the scenario.
func (s *scene) start(p place, name string, r any) *actor {
	s.Helper()
	return s.startCommand(p, self(name, r)...)
}

func (s *scene) startCommand(p place, argv ...string) *actor {
	s.Helper()
	if p.needsRoot() {
		s.needRoot()
	}
	cmd := p.command(argv...)
	a := &actor{Cmd: cmd, s: s, lines: make(chan string, 1000)}
	// A file, because a pipe would be waited for as long as anybody has it.
	errs, err := os.CreateTemp(s.TempDir(), "stderr")
	if err != nil {
		s.Fatal(err)
	}
	defer errs.Close()
	cmd.Stderr, a.err = errs, errs.Name()
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	// Not StdinPipe, which ends with the process: what it started reads on.
	stdin, in, err := os.Pipe()
	if err != nil {
		s.Fatal(err)
	}
	defer stdin.Close()
	cmd.Stdin, a.in = stdin, in
	if err := cmd.Start(); err != nil {
		s.skip("cannot start such a process here: %v", err)
	}
	go func() {
		defer close(a.lines)
		for in := bufio.NewScanner(out); in.Scan(); {
			a.lines <- in.Text()
		}
	}()
	a.wait = sync.OnceValue(cmd.Wait)
	s.Cleanup(func() {
		a.in.Close()
		cmd.Process.Kill()
		a.wait()
	})
	return a
}

// expect waits for a line with that first word and returns the rest of it. Lines
// before it are of no interest.
func (a *actor) expect(word string) string {
	a.s.Helper()
	return a.expectAll(word)[word]
}

// expectAll waits until there was a line for each of the words, in any order.
func (a *actor) expectAll(words ...string) map[string]string {
	a.s.Helper()
	found := map[string]string{}
	for timeout := time.After(patience); len(found) < len(words); {
		select {
		case line, ok := <-a.lines:
			if !ok {
				a.s.Fatalf("%q never came; the process said:\n%s", words, a.said())
			}
			if word, rest, _ := strings.Cut(line, " "); slices.Contains(words, word) {
				found[word] = rest
			}
		case <-timeout:
			a.s.Fatalf("%q does not come", words)
		}
	}
	return found
}

// said is what the process, which has ended, said on standard error.
func (a *actor) said() string {
	a.wait()
	data, _ := os.ReadFile(a.err)
	return string(data)
}

// ask makes a holder do something and returns its answer.
func (a *actor) ask(what string) string {
	a.s.Helper()
	if _, err := fmt.Fprintln(a.in, what); err != nil {
		a.s.Fatal(err)
	}
	return a.expect(what)
}

// kill ends the process, and with it the PID namespace whose first one it is.
func (a *actor) kill() {
	a.s.Helper()
	if err := a.Process.Kill(); err != nil {
		a.s.Fatal(err)
	}
	a.wait()
}

// leave ends the process and leaves it unreaped.
func (a *actor) leave() {
	a.s.Helper()
	if err := a.Process.Kill(); err != nil {
		a.s.Fatal(err)
	}
	a.await(unix.WEXITED)
}

func (a *actor) stop() {
	a.s.Helper()
	a.signal(unix.SIGSTOP)
	a.await(unix.WSTOPPED)
}

func (a *actor) signal(sig syscall.Signal) {
	a.s.Helper()
	if err := a.Process.Signal(sig); err != nil {
		a.s.Fatal(err)
	}
}

// await blocks until the process is in a state, and leaves it there.
func (a *actor) await(state int) {
	a.s.Helper()
	for {
		err := unix.Waitid(unix.P_PID, a.Process.Pid, nil, state|unix.WNOWAIT, nil)
		if err == nil {
			return
		}
		if !errors.Is(err, unix.EINTR) {
			a.s.Fatal(err)
		}
	}
}

// look looks at the lock from a place.
func (s *scene) look(p place, l look) (v seen) {
	s.Helper()
	l.Lock = s.lock
	a := s.start(p, "look", l)
	line, ok := <-a.lines
	if !ok {
		s.Fatalf("no answer:\n%s", a.said())
	}
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		s.Fatalf("%v: %s", err, line)
	}
	return v
}

// command is the command line of the command genlock.
func (s *scene) command(args ...string) []string {
	s.Helper()
	exe, err := genlockProgram()
	if err != nil {
		s.Fatal(err)
	}
	return append([]string{exe}, args...)
}

// genlock runs the command to its end.
func (s *scene) genlock(p place, args ...string) (code int, stdout, stderr string) {
	s.Helper()
	argv := s.command(args...)
	if p.needsRoot() {
		s.needRoot()
	}
	cmd := p.command(argv...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// until waits for a state that nothing tells of.
func (s *scene) until(what string, holds func() bool) {
	s.Helper()
	for tick, end := time.NewTicker(time.Millisecond), time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			s.Fatalf("waited in vain: %s", what)
		}
	}
}
