package evidence_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

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
		case "overlay":
			err = mountOverlay(os.Getenv(dirVar))
		case "nobody":
			// The group too: /proc hides nothing from group 0.
			err = errors.Join(syscall.Setgroups(nil), syscall.Setresgid(65534, 65534, 65534),
				syscall.Setresuid(65534, 65534, 65534))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

func mountProc(options string) error { return mount("proc", "/proc", options) }

// mountOverlay shows the directory to this process alone through an overlay, and
// lets it work there.
func mountOverlay(dir string) error {
	options := "lowerdir=" + dir + "/lower,upperdir=" + dir + "/upper,workdir=" + dir + "/work"
	return errors.Join(mount("overlay", dir+"/merged", options), os.Setenv(dirVar, dir+"/merged"))
}

func mount(kind, at, options string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	return unix.Mount(kind, at, kind, 0, options)
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
