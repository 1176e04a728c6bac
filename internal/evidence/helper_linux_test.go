package evidence_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
	"golang.org/x/sys/unix"
)

// The test program is its own helper: in another process, in a namespace, as
// another user. What it is to be stands in its environment.
const (
	roleVar = "GENLOCK_TEST_ROLE"
	dirVar  = "GENLOCK_TEST_DIR"
	// setupVar lists what the helper does to itself first.
	setupVar = "GENLOCK_TEST_SETUP"
)

var roles = map[string]func() error{
	"hold":       func() error { return hold(false) },
	"hold-child": func() error { return hold(true) },
	"linger":     linger,
	"leaderless": leaderless,
	"judge":      judgeForParent,
	"reuse":      reusePID,
}

func init() {
	if os.Getenv(roleVar) == "leaderless" {
		runtime.LockOSThread() // the first thread is to end, no other
	}
}

func TestMain(m *testing.M) {
	role, ok := roles[os.Getenv(roleVar)]
	if !ok {
		os.Exit(m.Run())
	}
	err := setUp()
	if err == nil {
		err = role()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func setUp() error {
	for what := range strings.FieldsSeq(os.Getenv(setupVar)) {
		var err error
		switch what {
		case "proc":
			err = mountProc("")
		case "hidepid":
			err = mountProc("hidepid=2")
		case "nobody":
			err = syscall.Setresuid(65534, 65534, 65534)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

func mountProc(options string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	return unix.Mount("proc", "/proc", "proc", 0, options)
}

// hold takes a witness and writes the record, then lives until it is killed or
// its parent goes. With a child, that child inherits the witness.
func hold(child bool) error {
	dir, err := vfs.OS().OpenDir(os.Getenv(dirVar))
	if err != nil {
		return err
	}
	id, err := protocol.NewID()
	if err != nil {
		return err
	}
	f, process, err := evidence.TakeWitness(evidence.System(), dir, id, id, 0o644)
	if err != nil {
		return err
	}
	self := evidence.System().Self()
	data, err := (&protocol.Record{Generation: id, Nonce: id, Hostname: self.Hostname, PID: self.PID, Process: process}).Encode()
	if err == nil {
		err = vfs.WriteFile(dir, protocol.RecordName, data, 0o644)
	}
	if err != nil {
		return err
	}
	if child {
		cmd := helper("linger", os.Getenv(dirVar))
		cmd.Stdin, cmd.Stdout = os.Stdin, nil
		cmd.ExtraFiles = []*os.File{os.NewFile(f.(vfs.OSFile).Descriptor(), "witness")}
		if err := cmd.Start(); err != nil {
			return err
		}
		fmt.Println(cmd.Process.Pid)
	}
	fmt.Println("ready")
	return linger()
}

// linger lives until the other end of standard input is gone.
func linger() error {
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// leaderless ends its first thread and lives on in another.
func leaderless() error {
	go func() {
		linger()
		os.Exit(0)
	}()
	syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
	return fmt.Errorf("still here")
}

// verdict is a judge.Verdict on its way between processes.
type verdict struct {
	Answer, Why        string
	ChildOnly, Stopped bool
	Rungs              map[string]string
	Skip               string
}

func judgeForParent() error {
	v, err := judgeDir(os.Getenv(dirVar))
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(v)
}

// judgeDir judges the holder that wrote its record into the directory at path.
func judgeDir(path string) (verdict, error) {
	dir, err := vfs.OS().OpenDir(path)
	if err != nil {
		return verdict{}, err
	}
	defer dir.Close()
	data, err := vfs.ReadFile(dir, protocol.RecordName, protocol.MaxRecord)
	if err != nil {
		return verdict{}, err
	}
	r, err := protocol.ParseRecord(data)
	if err != nil {
		return verdict{}, err
	}
	kind, err := dir.Kind()
	if err != nil {
		return verdict{}, err
	}
	v := judge.Weigh(evidence.Gather(evidence.System(), evidence.Party{ID: r.Generation, Dir: dir, Record: r, Kind: kind,
		Witness: &protocol.Witness{Of: r.Generation, Machine: r.Process.Machine, Boot: orZeros(r.Process.Boot)}}))
	out := verdict{Answer: v.Answer.String(), Why: v.Why, ChildOnly: v.ChildOnly, Stopped: v.Stopped, Rungs: map[string]string{}}
	for _, f := range v.Findings {
		out.Rungs[f.Rung.String()] = f.Answer.String() + ": " + f.Why
	}
	return out, nil
}

// helper is this program in a role. It ends when its parent does.
func helper(role, dir string, setup ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleVar+"="+role, dirVar+"="+dir, setupVar+"="+strings.Join(setup, " "))
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
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
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
