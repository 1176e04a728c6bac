package cases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
)

// frozenCases are group V: holders that cannot move, and come back late.
var frozenCases = []scenario{
	{id: "V2", what: "holder stopped", then: stopped, want: "alive", says: "and is stopped", next: blocked},
	{id: "V2", what: "holder stopped in a container", holder: container, then: stopped,
		want: "alive", says: "its witness is locked", next: blocked},
	{id: "V2", what: "holder's cgroup frozen", then: frozen, want: "alive", says: "runs and is the same process", next: blocked},
	{id: "V2", what: "unlocked while stopped before its publish, resumed", play: latePublish,
		want: "refused", says: "cannot publish: the lock was lost: the staging is gone"},
}

// frozen freezes a group with the holder in it.
func frozen(s *scene) {
	s.needRoot()
	group := ""
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var st unix.Statfs_t
		if unix.Statfs(root, &st) == nil && st.Type == unix.CGROUP2_SUPER_MAGIC {
			group = filepath.Join(root, "genlock-case-"+strconv.Itoa(os.Getpid()))
		}
	}
	if group == "" {
		s.skip("no cgroup version 2 here")
	}
	if err := os.Mkdir(group, 0o755); err != nil {
		s.skip("cgroup: %v", err)
	}
	write := func(file, content string) {
		if err := os.WriteFile(filepath.Join(group, file), []byte(content), 0); err != nil {
			s.skip("cgroup: %v", err)
		}
	}
	s.Cleanup(func() {
		os.WriteFile(filepath.Join(group, "cgroup.freeze"), []byte("0"), 0)
		s.holder.kill()
		s.until("the group empties", func() bool { return os.Remove(group) == nil })
	})
	write("cgroup.procs", strconv.Itoa(s.holder.Process.Pid))
	write("cgroup.freeze", "1")
	s.until("the group freezes", func() bool {
		data, _ := os.ReadFile(filepath.Join(group, "cgroup.events"))
		return strings.Contains(string(data), "frozen 1")
	})
}

// stopHere stops this process before its caller does anything else: a signal for the
// process as a whole may let this thread go on a little.
func stopHere() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP)
}

// build builds an artifact, and stops itself right before publishing if it is to
// be late.
type build struct {
	Lock, Artifact, Content string
	Late                    bool
}

func (b *build) run() error {
	e := *env.From(context.Background())
	armed := false
	e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if armed && op.Verb == faultfs.Rename {
			armed = false
			return stopHere()
		}
		return nil
	}})
	ctx := env.With(context.Background(), &e)
	lease, err := genlock.New(b.Lock, nil).Acquire(ctx)
	if err != nil {
		return err
	}
	fmt.Println("held", lease.Generation())
	a := genlock.Artifact{Path: b.Artifact}
	out, err := lease.Stage(a)
	if err == nil {
		err = os.WriteFile(out, []byte(b.Content), 0o644)
	}
	if err != nil {
		return err
	}
	armed = b.Late
	err = lease.Publish(ctx, a)
	fmt.Println("lost", errors.Is(err, genlock.ErrLost), "publish:", err, "release:", lease.Release())
	return nil
}

// latePublish: an operator unlocks a stopped builder, another one builds, and the
// first one goes on.
func latePublish(s *scene) seen {
	artifact := filepath.Join(s.dir, "tool")
	late := s.start(here, "build", build{s.lock, artifact, "late", true})
	generation := late.expect("held")
	late.await(unix.WSTOPPED)
	v := s.look(here, look{})
	if code, _, stderr := s.genlock(here, "break", s.lock, "--generation", generation); code != 0 {
		s.Fatal(stderr)
	}
	if answer := s.start(here, "build", build{s.lock, artifact, "new", false}).expect("lost"); !strings.HasPrefix(answer, "false") {
		s.Error("the successor: ", answer)
	}
	late.signal(syscall.SIGCONT)
	answer := late.expect("lost")
	if !strings.HasPrefix(answer, "true") {
		s.Error("the late one: ", answer)
	}
	if data, err := os.ReadFile(artifact); err != nil || string(data) != "new" {
		s.Errorf("the artifact reads %q, %v", data, err)
	}
	return told("refused", v.Took, "%s", answer)
}
