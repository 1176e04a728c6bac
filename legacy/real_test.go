package legacy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Hold mode with real processes, ours and real old programs mixed. They break
// their own exclusion under load, and delete ours by path; that is printed. An
// overlap in which one side is ours fails the test, unless that side was told by
// Check that its lock was taken away.
func TestRealOldPrograms(t *testing.T) {
	for _, o := range oldPrograms {
		lists := []string{o.dialect}
		if o.pkg == "ttsc" {
			lists = append(lists, "mkdir,v2")
		}
		for _, list := range lists {
			t.Run(o.pkg+" "+o.version+" with "+list, func(t *testing.T) {
				module := o.install(t)
				contend(t, list, func(w workplace) *exec.Cmd {
					return exec.Command("node", "testdata/old/worker.js", o.dialect, module,
						w.Lock, w.Section, w.Log, fmt.Sprint(w.Turns))
				})
			})
		}
	}
	t.Run("emulated token", func(t *testing.T) {
		contend(t, "token", func(w workplace) *exec.Cmd { return w.command(t, "old:token") })
	})
}

// workplace is what the workers of one run share.
type workplace struct {
	Kind, List, Lock, Section, Log string
	Turns                          int
}

const workerEnv = "GENLOCK_LEGACY_WORKER"

func (w workplace) command(t *testing.T, kind string) *exec.Cmd {
	t.Helper()
	w.Kind = kind
	data, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerEnv+"="+string(data))
	return cmd
}

func contend(t *testing.T, list string, old func(workplace) *exec.Cmd) {
	t.Helper()
	dir := t.TempDir()
	w := workplace{List: list, Lock: filepath.Join(dir, "k.lock"), Section: filepath.Join(dir, "section"),
		Log: filepath.Join(dir, "log"), Turns: 15}
	if os.Getenv("GENLOCK_LONG") != "" {
		w.Turns = 200
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for _, cmd := range []*exec.Cmd{w.command(t, "ours"), old(w), w.command(t, "ours"), old(w)} {
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
		wg.Go(func() {
			defer stop()
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v\n%s", cmd.Args, err, errs.String())
			}
			t.Log(strings.TrimSpace(out.String()))
		})
	}
	wg.Wait()
	judgeLog(t, w)
}

// judgeLog counts whose the overlaps are.
func judgeLog(t *testing.T, w workplace) {
	t.Helper()
	data, err := os.ReadFile(w.Log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	lost := map[string]bool{}
	theirs, taken, ours := 0, 0, 0
	for line := range strings.Lines(string(data)) {
		if word := strings.Fields(line); word[0] == "lost" {
			lost[word[1]] = true
		}
	}
	for line := range strings.Lines(string(data)) {
		word := strings.Fields(line)
		if word[0] != "overlap" {
			continue
		}
		switch {
		case !strings.Contains(line, "ours:"):
			theirs++
		case lost[word[1]] || len(word) > 2 && lost[word[2]]:
			taken++
		case len(word) > 2 && word[2] == "?":
			theirs++ // whoever it was had left before his name could be read
		default:
			ours++
			t.Errorf("an overlap with ours: %s", line)
		}
	}
	t.Logf("overlaps: %d among old ones, %d after one took our lock away and Check said so, %d of ours; locks taken away: %d",
		theirs, taken, ours, len(lost))
}
