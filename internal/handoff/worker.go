//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// work obeys orders until its input ends.
func work(dir string, hold time.Duration) error {
	w := &worker{dir: dir, hold: hold, out: json.NewEncoder(os.Stdout)}
	var err error
	if w.counter, err = os.OpenFile(counterPath(dir), os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return err
	}
	lines := json.NewDecoder(bufio.NewReader(os.Stdin))
	answers := make(chan reply)
	go func() {
		for r := range answers {
			w.out.Encode(r)
		}
	}()
	for {
		var o order
		if lines.Decode(&o) != nil {
			return nil
		}
		go func() {
			r, err := w.obey(o)
			if r.Do = o.Do; err != nil {
				r.Error = err.Error()
			}
			answers <- r
		}()
	}
}

type worker struct {
	dir     string
	hold    time.Duration
	out     *json.Encoder
	counter *os.File
}

func (w *worker) obey(o order) (reply, error) {
	switch o.Do {
	case "turns":
		return w.turns(o)
	case "hold":
		_, err := w.acquirer(o.Kind)(context.Background())
		return reply{Held: time.Now().UnixNano()}, err
	case "usage":
		return reply{CPU: usage()}, nil
	}
	return reply{}, errors.ErrUnsupported
}

// turns takes turns until the counter says that there were enough.
func (w *worker) turns(o order) (r reply, err error) {
	ctx := context.Background()
	tries := new(atomic.Int64)
	var fs *faultfs.FS
	if o.Kind == kindCounted {
		ctx, fs = counting(ctx, tries)
	}
	acquire := w.acquirer(o.Kind)
	before := usage()
	for {
		release, err := acquire(ctx)
		if err != nil {
			return r, err
		}
		t := turn{Acquired: time.Now().UnixNano()}
		if t.Number, err = w.count(); err != nil {
			return r, err
		}
		if w.hold > 0 {
			time.Sleep(w.hold)
		}
		t.Released = time.Now().UnixNano()
		if err := release(); err != nil {
			return r, err
		}
		if t.Number > o.Turns {
			break
		}
		r.Turns = append(r.Turns, t)
	}
	r.CPU, r.Tries = usage()-before, int(tries.Load())
	if fs != nil {
		r.FileOps = fs.Count()
	}
	return r, nil
}

// counting counts file operations, and those that try to publish.
func counting(ctx context.Context, tries *atomic.Int64) (context.Context, *faultfs.FS) {
	world := *env.From(ctx)
	fs := faultfs.Wrap(world.FS, faultfs.Hooks{After: func(op faultfs.Op, _ error) {
		if op.Verb == faultfs.Rename && filepath.Base(op.To) == protocol.CurrentName {
			tries.Add(1)
		}
	}})
	world.FS = fs
	return env.With(ctx, &world), fs
}

// count adds one to the counter, and finds out whether somebody else does so too.
func (w *worker) count() (int64, error) {
	var b [8]byte
	w.counter.ReadAt(b[:], 0) // empty before the first turn
	n := int64(binary.LittleEndian.Uint64(b[:])) + 1
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	if _, err := w.counter.WriteAt(b[:], 0); err != nil {
		return 0, err
	}
	if _, err := w.counter.ReadAt(b[:], 0); err != nil || int64(binary.LittleEndian.Uint64(b[:])) != n {
		return 0, fmt.Errorf("two hold the lock at once (%v)", err)
	}
	return n, nil
}

func (w *worker) acquirer(kind string) func(context.Context) (func() error, error) {
	path := lockPath(w.dir, kind)
	if kind == kindFlock {
		return func(context.Context) (func() error, error) { return flock(path) }
	}
	lock := genlock.New(path, nil)
	return func(ctx context.Context) (func() error, error) {
		lease, err := lock.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		return lease.Release, nil
	}
}

func flock(path string) (func() error, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return f.Close, err
		}
	}
}

// usage is the processor time this process has used.
func usage() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
