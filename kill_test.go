//go:build unix

package genlock_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

const victimVariable = "GENLOCK_TEST_VICTIM"

// victim is a process that takes turns and may be killed at any moment. Exclusion
// is checked by an OS lock, which a death inside the section gives back. Its
// descriptor is older than every witness, so that it is also closed first.
type victim struct {
	Lock, Section, Log string
	Format             protocol.Format
	Turns              int
}

func (v *victim) run() error {
	section, err := os.OpenFile(v.Section, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(v.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	lock := genlock.New(v.Lock, &genlock.Options{Format: v.Format})
	for range v.Turns {
		lease, err := lock.Acquire(context.Background())
		if err != nil {
			return err
		}
		if err := unix.Flock(int(section.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			return fmt.Errorf("overlap: %w", err)
		}
		fmt.Fprintln(log, lease.Generation())
		if err := unix.Flock(int(section.Fd()), unix.LOCK_UN); err != nil {
			return err
		}
		if err := lease.Release(); err != nil {
			return err
		}
	}
	return nil
}

// TestRandomKills: many processes take turns while a third of them is killed at
// random moments and another third stopped and continued. Nobody overlaps,
// everybody who lives is served, nothing stays held, and one collection leaves
// nothing behind.
func TestRandomKills(t *testing.T) {
	processes, turns := 64, 50
	if testing.Short() {
		processes, turns = 16, 10
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := fastDir(t)
	v := &victim{Lock: filepath.Join(dir, "k.lock"), Section: filepath.Join(dir, "section"),
		Log: filepath.Join(dir, "log"), Format: protocol.Genlock, Turns: turns}
	var wg sync.WaitGroup
	var cmds []*exec.Cmd
	killed := make([]bool, processes)
	for i := range processes {
		killed[i] = i%3 == 0
		cmd := start(t, victimVariable, v)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
		wg.Go(func() {
			err := cmd.Wait()
			var exit *exec.ExitError
			dead := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
			if stderr.Len() > 0 || (err != nil && !(dead && killed[i])) {
				t.Errorf("process %d: %v\n%s", i, err, stderr.String())
			}
		})
	}
	for i, cmd := range cmds {
		// Spread over the run by its own progress, not by time.
		waitForLines(t, v.Log, random.IntN(processes*turns/3))
		switch i % 3 {
		case 0:
			cmd.Process.Kill()
		case 1:
			cmd.Process.Signal(syscall.SIGSTOP)
			waitForLines(t, v.Log, 0)
			cmd.Process.Signal(syscall.SIGCONT)
		}
	}
	wg.Wait()
	lock := genlock.New(v.Lock, nil)
	seen, err := lock.Status(t.Context())
	if err != nil || (seen.State != observer.Free && seen.State != observer.Abandoned) {
		t.Errorf("afterwards %s, %v; want free, or left by a dead one", seen.State, err)
	}
	lease, err := lock.TryAcquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
	if err := leftovers(lock); err != nil {
		t.Error(err)
	}
}

// waitForLines waits until the log has at least n lines.
func waitForLines(t *testing.T, path string, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		data, err := os.ReadFile(path)
		if err == nil && bytes.Count(data, []byte("\n")) >= n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s has not come to %d lines", path, n)
		}
	}
}
