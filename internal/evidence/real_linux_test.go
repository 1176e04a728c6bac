package evidence_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
	c.Wait()
	mustJudge(t, dir).check(t, judge.Gone, pid+"does not exist any more")
}

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
