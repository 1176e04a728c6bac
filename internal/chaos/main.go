//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

type options struct {
	length time.Duration
	n      int
	keys   int
	seed   uint64
	dir    string
}

func main() {
	if text := os.Getenv(taskVariable); text != "" {
		if err := play(text); err != nil {
			fmt.Fprintln(os.Stderr, "chaos:", err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.DurationVar(&o.length, "for", 20*time.Second, "how long; the last round is cleaned up beyond that")
	flag.IntVar(&o.n, "n", 10, "processes that take turns")
	flag.IntVar(&o.keys, "keys", 6, "locks")
	flag.Uint64Var(&o.seed, "seed", 0, "draws the plan; 0 draws a seed")
	flag.StringVar(&o.dir, "dir", os.TempDir(), "where to work, on a local file system")
	flag.Parse()
	if o.n < 1 || o.keys < 1 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if o.seed == 0 {
		var b [8]byte
		rand.Read(b[:])
		o.seed = uint64(binary.LittleEndian.Uint32(b[:])) + 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, o))
}

const taskVariable = "GENLOCK_CHAOS_TASK"

// play makes this process one of those that a round consists of.
func play(text string) error {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return err
	}
	os.Unsetenv(taskVariable)
	if t.Role == "command" {
		return t.obey()
	}
	go dieWithParent()
	if t.Role == "house" {
		return t.house()
	}
	w, err := newWorker(t)
	if err != nil {
		return err
	}
	if t.Role == "old" {
		w.workOld()
	} else {
		w.work()
	}
	return nil
}
