package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"

	"genlock.dev/genlock"
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
}

func newSession(t *testing.T) *session {
	t.Helper()
	ptmx, pts := openTerminal(t)
	s := &session{t: t, dir: t.TempDir(), ptmx: ptmx}
	cmd := exec.Command("sh", "-i")
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "PS1=ready> ", "ENV=", "TERM=dumb", "HISTFILE=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pts, pts, pts
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pts.Close()
	go s.read()
	t.Cleanup(func() {
		ptmx.Close() // hangs up
		cmd.Process.Kill()
		cmd.Wait()
	})
	s.expect("ready> ")
	return s
}

func openTerminal(t *testing.T) (ptmx, pts *os.File) {
	t.Helper()
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	fd := int(ptmx.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100})
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
		s.t.Fatalf("%q does not appear on the terminal; it shows:\n%q", re, s.out.String())
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

func TestTerminalCommandReads(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'echo ask; read x; echo \"<$x>\"'\n")
	s.expect(`ask\r\n`)
	s.send("hello\n")
	s.expect(`<hello>\r\n(?s:.*)ready> `)
	// The shell has its terminal back.
	s.send("echo still $((40+2))\n")
	s.expect("still 42\r\n")
}

// In a pipeline the command gets the terminal when it asks for it.
func TestTerminalPipeline(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'echo ask; read x; echo \"<$x>\"' | cat\n")
	s.expect(`ask\r\n`)
	s.send("hello\n")
	s.expect(`<hello>\r\n(?s:.*)ready> `)
}

func TestTerminalInterrupt(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'echo began; exec untilfile never'\n")
	s.expect(`began\r\n`)
	s.send("\x03")
	s.expect("ready> ")
	s.send("echo code=$?\n")
	s.expect("code=130\r\n")
	s.state(observer.Free)
}

func TestTerminalStopAndContinue(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'echo began; read x; echo \"<$x>\"'\n")
	s.expect(`began\r\n`)
	s.send("\x1a")
	s.expect(`Stopped(?s:.*)ready> `)
	s.state(observer.Held)
	s.send("fg\n")
	s.expect(`genlock run`)
	s.send("hello\n")
	s.expect(`<hello>\r\n(?s:.*)ready> `)
	s.state(observer.Free)
	s.send("echo code=$?\n")
	s.expect("code=0\r\n")
}

// In the background the command does not get the terminal: it stops when it asks
// for it, as any background job does, and goes on in the foreground.
func TestTerminalBackground(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'read x; echo \"<$x>\" >got' &\n")
	s.state(observer.Held)
	var seen *observer.Observation
	lock := genlock.New(filepath.Join(s.dir, "k.lock"), nil)
	if !poll(func() bool {
		seen, _ = lock.Status(context.Background())
		return seen.Holder != nil && seen.Holder.Stopped
	}) {
		t.Fatal("the job does not stop")
	}
	s.send("fg\n")
	s.expect(`genlock run`)
	s.send("hello\n")
	s.state(observer.Free)
	if got, err := os.ReadFile(filepath.Join(s.dir, "got")); err != nil || string(got) != "<hello>\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// The wait shows a whole line first, and then one that is rewritten in place.
func TestTerminalWait(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- untilfile go &\n")
	s.state(observer.Held)
	s.send("genlock run k.lock -- echo mine\n")
	s.expect(`genlock: waiting: lock k.lock is held by pid \d+ \(untilfile go\)[^\n]*without a bound[^\n]*\r\n`)
	s.expect(`\rgenlock: waiting 2s for k.lock, held by pid [^\r\n]*…\x1b\[K`)
	s.send("\x03")
	s.expect(`\r\x1b\[Kgenlock: interrupted \(SIGINT\), nothing was run: lock k.lock is held by [^\n]*\r\n(?s:.*)ready> `)
	s.send("echo code=$?\n")
	s.expect("code=130\r\n")
	s.send("genlock run k.lock -- echo mine\n")
	s.expect(`\rgenlock: waiting 2s`)
	if err := os.WriteFile(filepath.Join(s.dir, "go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s.expect(`\r\x1b\[Kgenlock: took lock k.lock after \ds\r\nmine\r\n`)
	s.expect("ready> ")
	s.state(observer.Free)
}
