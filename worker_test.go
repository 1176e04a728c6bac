//go:build unix

package genlock_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// workerVariable makes a copy of the test binary act as one process that takes
// turns, instead of running tests.
const workerVariable = "GENLOCK_TEST_WORKER"

// worker is one process that takes turns and checks exclusion: inside the section
// it makes a file that must not exist.
type worker struct {
	Lock, Section string
	Format        protocol.Format
	Turns         int
	// Die is the chance that the process kills itself inside the section.
	Die float64
	// Umask of the process; 0 keeps what it has.
	Umask int
}

func TestMain(m *testing.M) {
	for variable, role := range roles {
		if text := os.Getenv(variable); text != "" {
			os.Exit(play(role(), text))
		}
	}
	os.Exit(m.Run())
}

// roles are what a copy of the test binary can be instead of a test, by the
// variable that holds its parameters.
var roles = map[string]func() role{
	workerVariable:   func() role { return new(worker) },
	mixedVariable:    func() role { return new(mixed) },
	crasherVariable:  func() role { return new(crasher) },
	orphanerVariable: func() role { return new(orphaner) },
	victimVariable:   func() role { return new(victim) },
}

// killSelf ends this process as kill -9 does.
func killSelf() error {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

type role interface{ run() error }

func play(r role, parameters string) int {
	err := json.Unmarshal([]byte(parameters), r)
	if err == nil {
		err = r.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// start returns a command that runs r in a process of its own.
func start(t *testing.T, variable string, r role) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	return cmd
}

func (w *worker) run() error {
	if w.Umask != 0 {
		syscall.Umask(w.Umask)
	}
	lock := genlock.New(w.Lock, &genlock.Options{Format: w.Format})
	for range w.Turns {
		lease, err := lock.Acquire(context.Background())
		if err != nil {
			return err
		}
		f, err := os.OpenFile(w.Section, os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return fmt.Errorf("overlap: %w", err)
		}
		f.Close()
		time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond) // the work, not a wait
		if err := os.Remove(w.Section); err != nil {
			return fmt.Errorf("overlap: %w", err)
		}
		if rand.Float64() < w.Die {
			return killSelf()
		}
		if err := lease.Release(); err != nil {
			return err
		}
	}
	return nil
}

func (w worker) command(t *testing.T) *exec.Cmd {
	t.Helper()
	return start(t, workerVariable, &w)
}
