//go:build unix

package genlock_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// asUser makes cmd run as another user, with its binary where that user may read it.
func asUser(t *testing.T, dir string, cmd *exec.Cmd, uid, gid uint32) *exec.Cmd {
	t.Helper()
	exe := filepath.Join(dir, "test-binary")
	if _, err := os.Stat(exe); err != nil {
		copyExecutable(t, cmd.Path, exe)
	}
	cmd.Path = exe
	// A binary that measures coverage complains where it cannot write what it measured.
	measured := filepath.Join(dir, "coverage")
	if err := os.MkdirAll(measured, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(measured, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "GOCOVERDIR="+measured)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	return cmd
}

func copyExecutable(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(to, 0o755); err != nil {
		t.Fatal(err)
	}
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to act as two other users")
	}
}

// publicDir is a directory that other users can reach.
func publicDir(t *testing.T) string {
	t.Helper()
	dir := fastDir(t)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestSharedByGroup: two users of one group take turns in a directory that is shared
// by its setgid bit, whatever their umask, also after a crash of the other one
// (rule 13).
func TestSharedByGroup(t *testing.T) {
	needRoot(t)
	const gid = 54321
	for _, umask := range []int{0o022, 0o077, 0o002} {
		dir := publicDir(t)
		cache := filepath.Join(dir, "cache")
		if err := os.Mkdir(cache, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(cache, 0, gid); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(cache, 0o775|os.ModeSetgid); err != nil {
			t.Fatal(err)
		}
		w := worker{Lock: filepath.Join(cache, "k.lock"), Section: filepath.Join(cache, "section"), Turns: 3, Umask: umask}
		dying := w
		dying.Die = 1
		for i, step := range []worker{w, w, dying, w, dying, w} {
			cmd := asUser(t, dir, step.command(t), uint32(54001+i%2), gid)
			out, err := cmd.CombinedOutput()
			died := err != nil && strings.Contains(err.Error(), "killed")
			if (err != nil && !(died && step.Die > 0)) || len(out) > 0 {
				t.Fatalf("umask %03o, step %d: %v\n%s", umask, i, err, out)
			}
		}
	}
}

// TestUnreadable: what a second user may not read is reported as such, with path and
// owner, and never as free.
func TestUnreadable(t *testing.T) {
	needRoot(t)
	dir := publicDir(t)
	path := filepath.Join(dir, "k.lock")
	lease := acquire(t, genlock.New(path, nil))
	w := worker{Lock: path, Section: filepath.Join(dir, "section"), Turns: 1}
	for _, closed := range []string{"", "current", "current/owner.json"} {
		place := filepath.Join(path+protocol.RootSuffix, closed)
		info, err := os.Stat(place)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(place, 0o700&info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		cmd := asUser(t, dir, w.command(t), 54001, 54001)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err == nil {
			t.Errorf("%q closed: a second user took the lock", closed)
		}
		for _, want := range []string{"permission denied", place, "uid 0"} {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%q closed: %q does not say %q", closed, stderr.String(), want)
			}
		}
		if err := os.Chmod(place, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	if err := lease.Check(); err != nil {
		t.Error(err)
	}
}
