package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/exitcode"
	"genlock.dev/genlock/observer"

	"golang.org/x/sys/unix"
)

// session is an interactive shell on a terminal of its own, in a fresh directory.
type session struct {
	t    *testing.T
	dir  string
	ptmx *os.File

	mu  sync.Mutex
	out bytes.Buffer
	at  int // what was expected already

	ended chan struct{} // closed when the leader has ended
	err   error         // of the leader
}

func newSession(t *testing.T) *session {
	t.Helper()
	return newSessionIn(t, t.TempDir())
}

func newSessionIn(t *testing.T, dir string) *session {
	t.Helper()
	s := newLeaderIn(t, dir, "sh", "-i")
	s.expect("ready> ")
	return s
}

// newLeader runs a command that leads the session itself, as `xterm -e` and
// `ssh -t` start one.
func newLeader(t *testing.T, argv ...string) *session {
	t.Helper()
	return newLeaderIn(t, t.TempDir(), argv...)
}

func newLeaderIn(t *testing.T, dir string, argv ...string) *session {
	t.Helper()
	heedSignals(t)
	ptmx, pts := openTerminal(t)
	s := &session{t: t, dir: dir, ptmx: ptmx, ended: make(chan struct{})}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "PS1=ready> ", "ENV=", "TERM=dumb", "HISTFILE=", "GENLOCK_LOG=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pts, pts, pts
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pts.Close()
	go s.read()
	go func() {
		s.err = cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		s.hangUp()
		cmd.Process.Kill()
		<-s.ended
	})
	return s
}

// hangUp closes the terminal.
func (s *session) hangUp() { s.ptmx.Close() }

// leaderEnds waits for the command that leads the session and returns its status.
func (s *session) leaderEnds() int {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatalf("the session does not end; it shows:\n%q", s.shown())
	}
	return exitcode.Of(s.err)
}

// shown is everything that the terminal has shown.
func (s *session) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// touch makes a file in the session's directory.
func (s *session) touch(name string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), nil, 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// gone waits until the process does not exist any more whose number a file holds.
func (s *session) gone(pidFile string) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, pidFile))
	pid, perr := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || perr != nil || pid <= 1 {
		s.t.Fatalf("%s holds %q: %v", pidFile, data, err)
	}
	if !poll(func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH }) {
		s.t.Errorf("pid %d does not end", pid)
	}
}

func openTerminal(t *testing.T) (ptmx, pts *os.File) {
	t.Helper()
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	raw, err := ptmx.SyscallConn() // and not Fd, which would make it block, also in Close
	if err != nil {
		t.Fatal(err)
	}
	n := -1
	cerr := raw.Control(func(fd uintptr) {
		if n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err == nil {
			unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
			unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100})
		}
	})
	if cerr != nil || err != nil {
		t.Skip("no terminals here: ", cerr, err)
	}
	pts, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	return ptmx, pts
}

func (s *session) read() {
	buf := make([]byte, 4096)
	for {
		n, err := s.ptmx.Read(buf)
		s.mu.Lock()
		s.out.Write(buf[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *session) send(text string) {
	s.t.Helper()
	if _, err := s.ptmx.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// expect waits until the terminal shows re after what was expected before.
func (s *session) expect(re string) string {
	s.t.Helper()
	want := regexp.MustCompile(re)
	var found string
	if !poll(func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		loc := want.FindIndex(s.out.Bytes()[s.at:])
		if loc != nil {
			found = string(s.out.Bytes()[s.at+loc[0] : s.at+loc[1]])
			s.at += loc[1]
		}
		return loc != nil
	}) {
		s.t.Fatalf("%q does not appear on the terminal; it shows:\n%q", re, s.shown())
	}
	return found
}

// state waits until the lock k.lock is in a state.
func (s *session) state(want observer.State) {
	s.t.Helper()
	lock := genlock.New(filepath.Join(s.dir, "k.lock"), nil)
	if !poll(func() bool {
		seen, err := lock.Status(context.Background())
		return err == nil && seen.State == want
	}) {
		s.t.Fatalf("the lock never is %s", want)
	}
}

func (s *session) exists(name string) {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.dir, name)); err != nil {
		s.t.Error(err)
	}
}

func (s *session) missing(name string) {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
		s.t.Errorf("%s exists", name)
	}
}
