//go:build unix

package legacy_test

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"genlock.dev/genlock/internal/evidence"
)

// holding starts a real old program, waits until it holds the lock, and returns
// how to kill it.
func (o oldProgram) holding(t *testing.T, module, lock string) (kill func()) {
	t.Helper()
	return untilHeld(t, exec.Command("node", "testdata/old/holder.js", o.dialect, module, lock))
}

func untilHeld(t *testing.T, cmd *exec.Cmd) (kill func()) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "held\n" {
		t.Fatalf("%s says %q, %v", cmd.Args, line, err)
	}
	return kill
}

// A real old holder keeps us out while it lives. Killed, it is reclaimed in under
// a second where its record proves it, and not at all where only its age speaks.
func TestRealHolderIsKilled(t *testing.T) {
	for _, o := range oldPrograms {
		t.Run(o.pkg+" "+o.version, func(t *testing.T) {
			module := o.install(t)
			if !evidence.System().Self().InitialPIDNS {
				t.Skip("from outside the initial PID namespace no old holder can be proven dead")
			}
			path := filepath.Join(t.TempDir(), "k.lock")
			kill := o.holding(t, module, path)
			p := &proc{ctx: context.Background(), lock: path}
			set := mustParse(t, o.dialect)
			l, s, err := p.acquire(set, false, 3)
			if l != nil || s == nil || err != nil {
				t.Fatalf("a live holder: got %v, %+v, %v", l, s, err)
			}
			t.Log(s.Path, s.Describe())
			kill()
			began := time.Now()
			l, s, err = p.acquire(set, false, 3)
			if o.dialect == "heartbeat" {
				if l != nil || err != nil {
					t.Fatalf("an age was taken for proof: %v, %v", l, err)
				}
				return
			}
			if l == nil {
				t.Fatalf("a dead holder: got %+v, %v", s, err)
			}
			took := time.Since(began)
			t.Logf("reclaimed after %s: %s", took, l.cleared[0].Evidence)
			if took > time.Second {
				t.Errorf("it took %s", took)
			}
			if err := l.Release(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Ours is killed while it holds; the real old program takes the lock by its own
// rules.
func TestRealProgramAfterOurs(t *testing.T) {
	for _, o := range oldPrograms {
		t.Run(o.pkg+" "+o.version, func(t *testing.T) {
			module := o.install(t)
			w := workplace{List: o.dialect, Lock: filepath.Join(t.TempDir(), "k.lock")}
			kill := untilHeld(t, w.command(t, "hold"))
			kill()
			began := time.Now()
			o.holding(t, module, w.Lock)
			t.Logf("it holds the lock after %s", time.Since(began))
		})
	}
}
