package evidence_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock/internal/judge"
	"golang.org/x/sys/unix"
)

// helper is this program in a role. It ends when its parent does.
func helper(role, dir string, setup ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleVar+"="+role, dirVar+"="+dir, setupVar+"="+strings.Join(setup, " "),
		"GORACE=atexit_sleep_ms=0") // else each helper lingers for a second
	cmd.Stderr = os.Stderr
	return cmd
}

// child is a helper that holds.
type child struct {
	*exec.Cmd
	t *testing.T
	// grandchild is what the holder started, 0 if nothing.
	grandchild int
}

// start starts a holder in dir and waits until it holds.
func start(t *testing.T, role, dir string, attr *syscall.SysProcAttr, setup ...string) *child {
	t.Helper()
	c := &child{Cmd: helper(role, dir, setup...), t: t}
	c.SysProcAttr = attr
	// Not StdinPipe, which Wait closes: what a holder started reads on.
	read, stdin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	c.Stdin = read
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Skipf("cannot start a process like that here: %v", err)
	}
	t.Cleanup(func() { stdin.Close(); c.Process.Kill(); c.Wait() })
	if role == "leaderless" {
		return c
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if lines.Text() == "ready" {
			return c
		}
		c.grandchild, _ = strconv.Atoi(lines.Text())
	}
	t.Skip("the helper could not do that here; its reason stands above")
	return nil
}

// end kills the holder and, if reap, waits for it.
func (c *child) end(reap bool) {
	c.t.Helper()
	if err := c.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	if reap {
		c.Wait()
		return
	}
	c.await(unix.WEXITED)
}

// await blocks until the child is in a state, and leaves it there.
func (c *child) await(state int) {
	c.t.Helper()
	for {
		err := unix.Waitid(unix.P_PID, c.Process.Pid, nil, state|unix.WNOWAIT, nil)
		if err == nil {
			return
		}
		if err != unix.EINTR {
			c.t.Fatal(err)
		}
	}
}

// until waits for a state that nothing tells of.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for tick, end := time.NewTicker(time.Millisecond), time.Now().Add(20*time.Second); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// mustJudge judges from this process.
func mustJudge(t *testing.T, dir string) verdict {
	t.Helper()
	v, err := judgeDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// judgeFrom judges from a helper.
func judgeFrom(t *testing.T, role, dir string, attr *syscall.SysProcAttr, setup ...string) verdict {
	t.Helper()
	cmd := helper(role, dir, setup...)
	cmd.SysProcAttr = attr
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("cannot judge like that here: %v", err)
	}
	var v verdict
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if v.Skip != "" {
		t.Skip(v.Skip)
	}
	return v
}

func (v verdict) check(t *testing.T, answer judge.Answer, why string) {
	t.Helper()
	if v.Answer != answer.String() || !strings.Contains(v.Why, why) {
		t.Errorf("%+v\nwant %v: …%s…", v, answer, why)
	}
}
