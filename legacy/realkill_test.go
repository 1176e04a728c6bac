//go:build unix

package legacy_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs"
)

// installed gets a real old program ready, or skips the test and says why.
func installed(t *testing.T, real oldprograms.Real) *oldprograms.Installed {
	t.Helper()
	if testing.Short() {
		t.Skip("real old programs are left out of a short run")
	}
	program, err := real.Install(t.TempDir())
	if err != nil {
		t.Skip(err)
	}
	return program
}

// A real old holder keeps us out while it lives. Killed, it is reclaimed in under
// a second where its record proves it, and not at all where only its age speaks.
func TestRealHolderIsKilled(t *testing.T) {
	for _, real := range oldprograms.Reals {
		t.Run(real.String(), func(t *testing.T) {
			program := installed(t, real)
			if !evidence.System().Self().InitialPIDNS {
				t.Skip("from outside the initial PID namespace no old holder can be proven dead")
			}
			path := filepath.Join(t.TempDir(), "k.lock")
			old := begin(t, program.Holder(path))
			old.untilHeld()
			p := &proc{ctx: context.Background(), lock: path}
			set := mustParse(t, real.Dialect)
			l, s, err := p.acquire(set, false, 3)
			if l != nil || s == nil || err != nil {
				t.Fatalf("a live holder: got %v, %+v, %v", l, s, err)
			}
			t.Log(s.Path, s.Describe())
			old.kill()
			began := time.Now()
			l, s, err = p.acquire(set, false, 3)
			if real.Dialect == "heartbeat" {
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

// Ours is killed at each step of taking and releasing in hold mode, at some of them
// in a run that is not a long one. The old program, a real one where there is
// one, takes the lock from what is left, by its own rules.
func TestRealProgramAfterOurs(t *testing.T) {
	afterOurs(t, oldprograms.Reals[0], "mkdir")
	afterOurs(t, oldprograms.Reals[1], "mkdir,v2")
	afterOurs(t, oldprograms.Reals[2], "heartbeat")
	if os.Getenv("GENLOCK_LONG") != "" {
		afterOurs(t, oldprograms.Reals[0], "mkdir,v2")
		afterOurs(t, oldprograms.Reals[1], "v2")
	}
	t.Run("emulated token", func(t *testing.T) {
		killedAtEachStep(t, "token", func(t *testing.T, lock string) {
			program := oldprograms.New("token", oldprograms.Here(vfs.OS()))
			for end := time.Now().Add(time.Minute); ; {
				got, err := program.Try(lock)
				if err != nil {
					t.Fatal(err)
				}
				if got {
					return
				}
				if time.Now().After(end) {
					t.Fatal("it is wedged")
				}
			}
		})
	})
}

func afterOurs(t *testing.T, real oldprograms.Real, list string) {
	t.Run(fmt.Sprintf("%s after %s", real, list), func(t *testing.T) {
		program := installed(t, real)
		killedAtEachStep(t, list, func(t *testing.T, lock string) { begin(t, program.Holder(lock)).untilHeld() })
	})
}

func killedAtEachStep(t *testing.T, list string, takes func(*testing.T, string)) {
	step, longest, last := 9, time.Duration(0), 0
	if os.Getenv("GENLOCK_LONG") != "" {
		step = 1
	}
	for k, ended := 1, false; !ended; k, last = k+step, k {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			lock := filepath.Join(t.TempDir(), "k.lock")
			ours := begin(t, worker{List: list, Lock: lock, Stop: k, Die: true}.command(t))
			said := ours.says()
			for ; said == sayHeld; said = ours.says() {
			}
			if ended = said == sayKept; !ended && said != sayStopped {
				t.Fatalf("ours says %q", said)
			}
			ours.cmd.Wait()
			began := time.Now()
			takes(t, lock)
			longest = max(longest, time.Since(began))
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("killed before each %d. of %d steps; the old program took the lock after %s at most", step, last, longest)
}
