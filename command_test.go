//go:build unix

package genlock_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// blocked is a command that runs until end is called: a child of it as well, also
// when the command itself was waited for, which closes what StdinPipe gives.
func blocked(t *testing.T, script string) (cmd *exec.Cmd, end func()) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	cmd = exec.Command("sh", "-c", script)
	cmd.Stdin = r
	return cmd, func() { w.Close() }
}

func guards(t *testing.T, lock string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(lock+protocol.RootSuffix, protocol.GuardsName, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestGuard: in the format whose other clients judge by pid alone, a command has a
// guard as long as anything of it may run, and no longer.
func TestGuard(t *testing.T) {
	ctx := context.Background()
	lock := genlock.New(filepath.Join(t.TempDir(), "k.lock"), &genlock.Options{Format: protocol.TTSC})
	lease, err := lock.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cmd, end := blocked(t, "read x")
	if err := lease.Start(cmd); err != nil {
		t.Fatal(err)
	}
	if n := len(guards(t, lock.Path())); n != 1 {
		t.Fatalf("%d guards while the command runs, want 1", n)
	}
	end()
	cmd.Wait()
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	if left := guards(t, lock.Path()); len(left) > 0 {
		t.Fatalf("left over: %v", left)
	}
}

// TestGuardOfSurvivor: a child that outlives its command keeps the guard.
func TestGuardOfSurvivor(t *testing.T) {
	lock := genlock.New(filepath.Join(t.TempDir(), "k.lock"), &genlock.Options{Format: protocol.TTSC})
	lease, err := lock.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	cmd, end := blocked(t, "exec 3<&0; (read x <&3) & exit 0")
	if err := lease.Start(cmd); err != nil {
		t.Fatal(err)
	}
	defer end()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	if n := len(guards(t, lock.Path())); n != 1 {
		t.Fatalf("%d guards while a child of the command runs, want 1", n)
	}
}

// TestStartPassesDescriptors: what this process itself inherited reaches the command
// under its own number, and the witness comes at a high one.
func TestStartPassesDescriptors(t *testing.T) {
	if os.Getenv("GENLOCK_TEST_INHERIT") == "" {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe, "-test.run=^TestStartPassesDescriptors$", "-test.v")
		cmd.Env = append(os.Environ(), "GENLOCK_TEST_INHERIT=1")
		cmd.ExtraFiles = []*os.File{nil, nil, w} // descriptor 5
		out, err := cmd.CombinedOutput()
		w.Close()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if data, _ := io.ReadAll(r); string(data) != "hello" {
			t.Fatalf("descriptor 5 received %q, want hello\n%s", data, out)
		}
		return
	}
	lock := genlock.New(filepath.Join(t.TempDir(), "k.lock"), nil)
	lease, err := lock.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "printf hello >&5; ls -l /proc/self/fd 2>/dev/null")
	var out strings.Builder
	cmd.Stdout = &out
	if err := lease.Run(cmd); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/self/fd"); err == nil && !strings.Contains(out.String(), " 100 -> ") {
		t.Errorf("no witness at descriptor 100:\n%s", out.String())
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
}

// TestCommandKeepsGeneration: when only the holder is killed, its command keeps the
// generation until it ends; then the lock is free by itself.
func TestCommandKeepsGeneration(t *testing.T) {
	for _, format := range []protocol.Format{protocol.Genlock, protocol.TTSC} {
		t.Run(string(format), func(t *testing.T) {
			dir := t.TempDir()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			holder := start(t, orphanerVariable, &orphaner{Lock: filepath.Join(dir, "k.lock"), Format: format})
			holder.Stdin = r
			if err := holder.Run(); err == nil {
				t.Fatal("the holder ended well instead of being killed")
			}
			r.Close()
			lock := genlock.New(filepath.Join(dir, "k.lock"), &genlock.Options{Format: format})
			seen, err := lock.Status(context.Background())
			if err != nil || seen.State != observer.Held || seen.Holder == nil || !seen.Holder.ChildOnly {
				t.Fatalf("status: %+v, %v; want held by a child only", seen, err)
			}
			w.Close() // the command ends
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			lease, err := lock.Acquire(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := lease.Release(); err != nil {
				t.Fatal(err)
			}
			if left := guards(t, lock.Path()); len(left) > 0 {
				t.Errorf("guards left over: %v", left)
			}
		})
	}
}

const orphanerVariable = "GENLOCK_TEST_ORPHANER"

// orphaner is a process that starts a command under the lock and is killed.
type orphaner struct {
	Lock   string
	Format protocol.Format
}

func (o *orphaner) run() error {
	lease, err := genlock.New(o.Lock, &genlock.Options{Format: o.Format}).Acquire(context.Background())
	if err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", "read x")
	cmd.Stdin = os.Stdin
	if err := lease.Start(cmd); err != nil {
		return err
	}
	return killSelf()
}
