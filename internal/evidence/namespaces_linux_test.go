package evidence_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/judge"
	"golang.org/x/sys/unix"
)

// Namespaces of a helper: processes, and mounts so that it can have its own /proc.
func private() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}
}

// TestRealPIDNamespaces judges across PID namespaces in all four arrangements,
// with and without a /proc of the namespace's own.
func TestRealPIDNamespaces(t *testing.T) {
	needRoot(t)
	for _, c := range []struct {
		name            string
		holder, prober  *syscall.SysProcAttr
		hsetup, psetup  []string
		whileAlive      string
		processIsSilent bool
	}{
		{"holder inside", private(), nil, []string{"proc"}, nil, "its witness is locked", true},
		{"holder inside, /proc of the host", private(), nil, nil, nil, "its witness is locked", true},
		{"prober inside", nil, private(), nil, []string{"proc"}, "its witness is locked", true},
		{"prober inside, /proc of the host", nil, private(), nil, nil, "its witness is locked", true},
		{"siblings, both pid 1", private(), private(), []string{"proc"}, []string{"proc"}, "its witness is locked", true},
		{"same namespace", nil, nil, nil, nil, "runs and is the same process", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			holder := start(t, "hold", dir, c.holder, c.hsetup...)
			v := judgeFrom(t, "judge", dir, c.prober, c.psetup...)
			v.check(t, judge.Alive, c.whileAlive)
			if _, ok := v.Rungs["process"]; !ok {
				t.Error("the process was not looked at")
			}
			if silent := strings.Contains(v.Rungs["process"], "belongs to another PID namespace"); silent != c.processIsSilent {
				t.Errorf("process: %s", v.Rungs["process"])
			}
			holder.end(true)
			why := "its witness is free"
			if !c.processIsSilent {
				why = "does not exist any more"
			}
			judgeFrom(t, "judge", dir, c.prober, c.psetup...).check(t, judge.Gone, why)
		})
	}
}

func TestRealTimeNamespace(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	holder := start(t, "hold", dir, &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWTIME})
	v := mustJudge(t, dir)
	if strings.Contains(v.Rungs["process"], "alive") {
		t.Skip("this kernel does not enter a time namespace by exec")
	}
	v.check(t, judge.Alive, "its witness is locked")
	if !strings.Contains(v.Rungs["process"], "another time namespace") {
		t.Errorf("%+v", v)
	}
	holder.end(true)
	mustJudge(t, dir).check(t, judge.Gone, "its witness is free")
}

// TestRealUsers judges a process of root as another user, who may not signal it,
// and then may not even see it.
func TestRealUsers(t *testing.T) {
	needRoot(t)
	mounts := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	for _, c := range []struct {
		name    string
		setup   []string
		process string
	}{
		{"may not signal", []string{"nobody"}, "runs and is the same process"},
		{"may not see", []string{"hidepid", "nobody"}, "but it is hidden from us"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := readableDir(t)
			holder := start(t, "hold", dir, nil)
			v := judgeFrom(t, "judge", dir, mounts, c.setup...)
			v.check(t, judge.Alive, "")
			if !strings.Contains(v.Rungs["process"], c.process) {
				t.Errorf("%+v", v)
			}
			holder.end(true)
			judgeFrom(t, "judge", dir, mounts, c.setup...).check(t, judge.Gone, "does not exist any more")
		})
	}
}

// TestRealOverlay looks at a holder's witness past the overlay through which it is
// held: there the lock does not show, and must not be missed.
func TestRealOverlay(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	for _, sub := range []string{"lower", "upper", "work", "merged"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	upper := filepath.Join(dir, "upper")
	holder := start(t, "hold", dir, private(), "overlay", "proc")
	v := mustJudge(t, upper)
	v.check(t, judge.Undecidable, "it is not the file that the holder locked")
	holder.end(true)
	mustJudge(t, upper).check(t, judge.Undecidable, "it is not the file that the holder locked")
}

// readableDir is a directory that other users can reach.
func readableDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "genlock-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRealReusedPID gives a dead holder's number to another process.
func TestRealReusedPID(t *testing.T) {
	needRoot(t)
	v := judgeFrom(t, "reuse", t.TempDir(), private(), "proc")
	v.check(t, judge.Gone, "is a different process now (start time)")
	if !strings.HasPrefix(v.Rungs["witness"], "gone") {
		t.Errorf("%+v", v)
	}
}

// reusePID runs as the first process of a namespace: nobody else takes numbers.
func reusePID() error {
	dir := os.Getenv(dirVar)
	holder := helper("hold", dir)
	stdin, err := holder.StdinPipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	stdout, err := holder.StdoutPipe()
	if err != nil {
		return err
	}
	if err := holder.Start(); err != nil {
		return err
	}
	if _, err := stdout.Read(make([]byte, 16)); err != nil {
		return err
	}
	pid := holder.Process.Pid
	holder.Process.Kill()
	holder.Wait()
	// Start times are told in ticks of 10 ms: the next process of that number
	// must not begin in the same one.
	for began := bootTicks(); bootTicks() == began; {
		runtime.Gosched()
	}
	// A thread of this very program may be faster, so try more than once.
	for range 50 {
		last := []byte(strconv.Itoa(pid - 1))
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", last, 0); err != nil {
			return json.NewEncoder(os.Stdout).Encode(verdict{Skip: err.Error()})
		}
		other := helper("linger", dir)
		in, err := other.StdinPipe()
		if err != nil {
			return err
		}
		if err := other.Start(); err != nil {
			return err
		}
		if other.Process.Pid == pid {
			err = judgeForParent()
		}
		in.Close()
		other.Wait()
		if err != nil || other.Process.Pid == pid {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(verdict{Skip: "the number was never given out again"})
}

func bootTicks() int64 {
	var now unix.Timespec
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &now)
	return now.Nano() / 1e7
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root for namespaces and other users")
	}
}
