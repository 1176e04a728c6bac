package evidence_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
	"golang.org/x/sys/unix"
)

func TestRealHolder(t *testing.T) {
	dir := t.TempDir()
	c := start(t, "hold", dir, nil)
	pid := fmt.Sprintf("pid %d ", c.Process.Pid)
	mustJudge(t, dir).check(t, judge.Alive, pid+"runs and is the same process")

	if err := c.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c.await(unix.WSTOPPED)
	v := mustJudge(t, dir)
	v.check(t, judge.Alive, "is stopped")
	if !v.Stopped {
		t.Error("not told that it is stopped")
	}

	c.end(false)
	mustJudge(t, dir).check(t, judge.Gone, pid+"has ended and only waits to be reaped")
	c.end2()
	mustJudge(t, dir).check(t, judge.Gone, pid+"does not exist any more")
}

// end2 reaps what end left.
func (c *child) end2() { c.Wait() }

func TestRealChildOnly(t *testing.T) {
	dir := t.TempDir()
	c := start(t, "hold-child", dir, nil)
	c.end(true)
	v := mustJudge(t, dir)
	v.check(t, judge.Alive, "a command it started goes on")
	if !v.ChildOnly {
		t.Error("not told that only a child is left")
	}
	if err := unix.Kill(c.grandchild, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the child ends", func() bool { return mustJudge(t, dir).Answer == judge.Gone.String() })
}

// A process goes on after its first thread ended, which then shows as a zombie.
func TestRealZombieLeader(t *testing.T) {
	c := start(t, "leaderless", t.TempDir(), nil)
	stat := fmt.Sprintf("/proc/%d/stat", c.Process.Pid)
	until(t, "the first thread ends", func() bool {
		data, err := os.ReadFile(stat)
		return err == nil && strings.Contains(string(data), ") Z ")
	})
	if info := evidence.System().Process(c.Process.Pid); info.State != evidence.Running {
		t.Errorf("%+v", info)
	}
	c.end(false)
	if info := evidence.System().Process(c.Process.Pid); info.State != evidence.Dead {
		t.Errorf("%+v", info)
	}
}

func TestRealFrozen(t *testing.T) {
	group := newCgroup(t)
	dir := t.TempDir()
	c := start(t, "hold", dir, nil)
	write := func(file, content string) {
		if err := os.WriteFile(filepath.Join(group, file), []byte(content), 0); err != nil {
			t.Skipf("cgroup: %v", err)
		}
	}
	write("cgroup.procs", strconv.Itoa(c.Process.Pid))
	write("cgroup.freeze", "1")
	defer write("cgroup.freeze", "0")
	until(t, "the group freezes", func() bool {
		data, _ := os.ReadFile(filepath.Join(group, "cgroup.events"))
		return strings.Contains(string(data), "frozen 1")
	})
	v := mustJudge(t, dir)
	v.check(t, judge.Alive, "runs and is the same process")
	if v.Stopped {
		t.Error("frozen is not stopped by a signal")
	}
}

// newCgroup makes a version 2 group of our own.
func newCgroup(t *testing.T) string {
	t.Helper()
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var st unix.Statfs_t
		if unix.Statfs(root, &st) != nil || st.Type != unix.CGROUP2_SUPER_MAGIC {
			continue
		}
		group, err := os.MkdirTemp(root, "genlock-test-")
		if err != nil {
			t.Skipf("cgroup: %v", err)
		}
		t.Cleanup(func() {
			until(t, "the group empties", func() bool { return os.Remove(group) == nil })
		})
		return group
	}
	t.Skip("no cgroup version 2 here")
	return ""
}

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

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root for namespaces and other users")
	}
}
