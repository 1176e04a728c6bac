package legacy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/legacy"
)

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
	if w.Kind == "ours" {
		// The old programs take a while to start; without them there is no
		// contention.
		for end := time.Now().Add(20 * time.Second); !w.ready() && time.Now().Before(end); {
			pause(10 * time.Millisecond)
		}
	} else {
		os.WriteFile(w.Log+".ready", nil, 0o666)
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

func (w workplace) ready() bool {
	_, err := os.Stat(w.Log + ".ready")
	return err == nil
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
