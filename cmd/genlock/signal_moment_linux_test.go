package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/exitcode"
	"genlock.dev/genlock/observer"
)

// TestSignalAtRename sends a signal to genlock at each of its renames: as it makes the
// root, takes the lock, publishes the artifact, and releases. Whatever it was about to
// do, it ends with 128+n or, at its very end, with 0; the lock is free, nothing is in
// flight, and the artifact is whole or not there.
func TestSignalAtRename(t *testing.T) {
	if out, err := exec.Command("strace", "-e", "trace=none", "-e", "inject=renameat:signal=INT:when=1", "true").CombinedOutput(); err != nil {
		t.Skipf("needs an strace that may trace: %v\n%s", err, out)
	}
	heedSignals(t)
	for signal, number := range map[string]int{"INT": 2, "TERM": 15} {
		interrupted := 0
		// strace counts the renames of each thread by themselves, and the runtime
		// decides which thread makes one: whether there is a k-th differs from run to run.
		for k, missed := 1, 0; k < 20 && missed < 6; k++ {
			code, err := signalAtRename(t, signal, k)
			if err != nil {
				t.Errorf("%s at rename %d: %v", signal, k, err)
			}
			if code == 0 {
				missed++
				k-- // once more
				continue
			}
			if code != 128+number {
				t.Errorf("%s at rename %d: exit status %d", signal, k, code)
			}
			interrupted++
		}
		if interrupted < 2 {
			t.Errorf("only %d renames were interrupted", interrupted)
		}
	}
}

func signalAtRename(t *testing.T, signal string, k int) (code int, err error) {
	t.Helper()
	dir := t.TempDir()
	const renames = "renameat2,renameat,?rename"
	cmd := exec.Command("strace", "-f", "-o", "/dev/null", "-e", "trace="+renames, "-e", fmt.Sprintf("inject=%s:signal=%s:when=%d", renames, signal, k),
		"genlock", "run", "--artifact", "out", "k.lock", "--", "sh", "-c", `echo x >"$GENLOCK_OUT"`)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	code = exitcode.Of(err)
	if err == nil {
		code = 0
	}
	seen, err := genlock.New(filepath.Join(dir, "k.lock"), nil).Status(context.Background())
	if err != nil || seen.State != observer.Free {
		return code, fmt.Errorf("the lock is %v (%w)\n%s", seen, err, out)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.v3", "candidate-*"))
	if err != nil || len(left) > 0 {
		return code, fmt.Errorf("left over: %q (%w)\n%s", left, err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil && !errors.Is(err, os.ErrNotExist) || err == nil && string(data) != "x\n" {
		return code, fmt.Errorf("the artifact reads %q (%w)", data, err)
	}
	return code, nil
}
