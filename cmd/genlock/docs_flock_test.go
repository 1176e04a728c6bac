//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const flockPage = "../../docs/flock.md"

// flockRow is one line of the table in docs/flock.md.
type flockRow struct{ flock, genlock, free, held string }

// TestDocsFlock runs both sides of the table next to the real flock(1).
func TestDocsFlock(t *testing.T) {
	needFlock(t)
	rows := flockRows(t)
	ran := 0
	for i, row := range rows {
		if row.free == "" {
			continue
		}
		ran++
		t.Run(fmt.Sprint(i, " ", row.flock), func(t *testing.T) {
			theirs, ours := expected(t, row.free)
			a, b := newFlockSide(t, row.flock), newFlockSide(t, row.genlock)
			out, status := a.finish(a.begin())
			if status != theirs {
				t.Errorf("free: flock ends with %d, and the page says %d", status, theirs)
			}
			our, status := b.finish(b.begin())
			if status != ours {
				t.Errorf("free: genlock ends with %d, and the page says %d\n%s", status, ours, &b.errors)
			}
			if theirs == 0 && ours == 0 && out != our {
				t.Errorf("flock prints %q and genlock %q", out, our)
			}
			if row.held != "" {
				heldRow(t, row)
			}
		})
	}
	if ran < 15 {
		t.Errorf("only %d rows have statuses", ran)
	}
}

// heldRow runs both sides while somebody else holds the lock.
func heldRow(t *testing.T, row flockRow) {
	a, b := newFlockSide(t, row.flock), newFlockSide(t, row.genlock)
	a.hold("flock k sh -c 'untilfile go; echo >released'", "! flock -n k true")
	b.hold("genlock run k.lock -- sh -c 'untilfile go; echo >released'", "genlock status k.lock | grep -q '^state: *held'")
	if row.held == "waits" {
		for _, s := range []*flockSide{a, b} {
			waiter := s.begin()
			s.release()
			s.finish(waiter)
			if _, err := os.Stat(filepath.Join(s.dir, "released")); err != nil {
				t.Errorf("%s did not wait", s.line)
			}
		}
		return
	}
	theirs, ours := expected(t, row.held)
	for s, want := range map[*flockSide]int{a: theirs, b: ours} {
		if _, status := s.finish(s.begin()); status != want {
			t.Errorf("held: %s ends with %d, and the page says %d\n%s", s.line, status, want, &s.errors)
		}
	}
}

// TestDocsFlockScripts runs the blocks below the table, as scripts, twice each.
func TestDocsFlockScripts(t *testing.T) {
	needFlock(t)
	blocks := regexp.MustCompile("(?s)```sh (flock|genlock)\n(.*?)```").FindAllStringSubmatch(readPage(t), -1)
	if len(blocks) < 4 {
		t.Fatalf("only %d blocks", len(blocks))
	}
	for _, block := range blocks {
		s := newFlockSide(t, "./script")
		if err := os.WriteFile(filepath.Join(s.dir, "script"), []byte("#!/bin/sh\n"+block[2]), 0o777); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if out, status := s.finish(s.begin()); out != "hi\n" || status != 0 {
				t.Errorf("%s: %q, status %d\n%s\n%s", block[1], out, status, &s.errors, block[2])
			}
		}
	}
}

func needFlock(t *testing.T) {
	t.Helper()
	out, err := exec.Command("flock", "--version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "util-linux") {
		t.Skipf("needs flock(1) of util-linux: %v %s", err, out)
	}
}

func readPage(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(flockPage)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func flockRows(t *testing.T) (rows []flockRow) {
	t.Helper()
	for _, line := range strings.Split(readPage(t), "\n") {
		cells := strings.Split(line, "|") // so no command of the table may have one
		if !strings.HasPrefix(line, "| `") || len(cells) != 7 {
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(cells[i], "` ")
		}
		rows = append(rows, flockRow{cells[1], cells[2], cells[3], cells[4]})
	}
	return rows
}

// expected reads "0", or "1 → 75" for flock and genlock.
func expected(t *testing.T, cell string) (theirs, ours int) {
	t.Helper()
	left, right, both := strings.Cut(cell, " → ")
	theirs, err := strconv.Atoi(left)
	ours = theirs
	if both && err == nil {
		ours, err = strconv.Atoi(right)
	}
	if err != nil {
		t.Fatalf("%q is no status", cell)
	}
	return theirs, ours
}

// flockSide is one command line in a directory of its own.
type flockSide struct {
	t         *testing.T
	dir, line string
	errors    strings.Builder
	holder    *exec.Cmd
}

func newFlockSide(t *testing.T, line string) *flockSide {
	s := &flockSide{t: t, dir: t.TempDir(), line: line}
	t.Cleanup(s.release) // nothing outlives the test
	return s
}

func (s *flockSide) sh(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GENLOCK_LOG=")
	return cmd
}

type begun struct {
	cmd *exec.Cmd
	out *strings.Builder
}

func (s *flockSide) begin() begun {
	b := begun{s.sh(s.line), new(strings.Builder)}
	b.cmd.Stdout, b.cmd.Stderr = b.out, &s.errors
	if err := b.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *flockSide) finish(b begun) (out string, status int) {
	err := b.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	status = b.cmd.ProcessState.ExitCode()
	return b.out.String(), status
}

// hold lets somebody else hold the lock, and returns when that is so.
func (s *flockSide) hold(line, isHeld string) {
	s.holder = s.sh(line)
	if err := s.holder.Start(); err != nil {
		s.t.Fatal(err)
	}
	if !poll(func() bool { return s.sh(isHeld).Run() == nil }) {
		s.t.Errorf("%s does not hold the lock", line)
	}
}

// release lets the holder, and what a command left in the background, end.
func (s *flockSide) release() {
	os.WriteFile(filepath.Join(s.dir, "go"), nil, 0o666)
	if s.holder != nil {
		s.holder.Wait()
	}
	s.holder = nil
}
