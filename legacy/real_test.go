package legacy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/legacy"
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

func TestMain(m *testing.M) {
	spec := os.Getenv(workerEnv)
	if spec == "" {
		os.Exit(m.Run())
	}
	var w workplace
	if err := json.Unmarshal([]byte(spec), &w); err != nil {
		panic(err)
	}
	if err := w.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run is one worker: ours, or an emulated old program.
func (w workplace) run() error {
	stats := map[string]any{"program": w.Kind}
	lost, waits, longest := 0, 0, time.Duration(0)
	if w.Kind == "hold" {
		return w.holdForEver()
	}
	turn := w.ours
	if w.Kind != "ours" {
		turn = w.emulated()
	}
	for n := range w.Turns {
		began := time.Now()
		tries, err := turn(fmt.Sprintf("ours:%d:%d", os.Getpid(), n))
		if errors.Is(err, legacy.ErrLost) {
			lost++
		} else if err != nil {
			return err
		}
		waits += tries
		longest = max(longest, time.Since(began))
		pause(time.Millisecond)
	}
	stats["turns"], stats["waits"], stats["longestMs"], stats["lost"] = w.Turns, waits, longest.Milliseconds(), lost
	return json.NewEncoder(os.Stdout).Encode(stats)
}

// holdForEver takes the lock, says so, and waits to be killed.
func (w workplace) holdForEver() error {
	set, err := legacy.Parse(w.List)
	if err != nil {
		return err
	}
	p := &proc{ctx: context.Background(), lock: w.Lock}
	if l, s, err := p.acquire(set, true, 3); l == nil {
		return fmt.Errorf("cannot take the lock: %+v %w", s, err)
	}
	fmt.Println("held")
	select {}
}

func pause(most time.Duration) { wall{}.Sleep(context.Background(), rand.N(most)) }

// ours is one turn of an acquire loop.
func (w workplace) ours(me string) (waits int, err error) {
	p := &proc{ctx: context.Background(), lock: w.Lock}
	set, err := legacy.Parse(w.List)
	if err != nil {
		return 0, err
	}
	var reclaimed []legacy.Intent
	for {
		l, _, err := p.try(set, true, &reclaimed)
		if err != nil {
			return waits, err
		}
		if l == nil {
			waits++
			pause(5 * time.Millisecond)
			continue
		}
		w.work(me)
		cerr := l.Check()
		rerr := l.Release()
		if errors.Is(cerr, legacy.ErrLost) || errors.Is(rerr, legacy.ErrLost) {
			w.note("lost " + me)
		}
		return waits, rerr
	}
}

func (w workplace) emulated() func(string) (int, error) {
	self := oldprograms.Self{FS: vfs.OS(), PID: os.Getpid(), Now: time.Now, NewID: newID,
		Alive: func(pid int) bool {
			return env.From(context.Background()).Machine.Process(pid).State != 4 // absent
		}}
	program := &oldprograms.Token{Self: self}
	return func(me string) (tries int, err error) {
		for {
			got, err := program.Try(w.Lock)
			if err != nil {
				return tries, err
			}
			if !got {
				tries++
				pause(5 * time.Millisecond)
				continue
			}
			w.work(strings.Replace(me, "ours:", "token:", 1))
			return tries, program.Release(w.Lock)
		}
	}
}

// work is the critical section; testdata/old/worker.js has the same.
func (w workplace) work(me string) {
	f, err := os.OpenFile(w.Section, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		other, rerr := os.ReadFile(w.Section)
		if rerr != nil || len(other) == 0 {
			other = []byte("?")
		}
		w.note("overlap " + me + " " + string(other))
		pause(time.Millisecond)
		return
	}
	f.WriteString(me)
	f.Close()
	pause(2 * time.Millisecond)
	os.Remove(w.Section)
}

func (w workplace) note(line string) {
	f, err := os.OpenFile(w.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	f.WriteString(line + "\n")
}
