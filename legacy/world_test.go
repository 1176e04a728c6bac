package legacy_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

const (
	dir  = "/cache"
	lock = dir + "/k.lock"
	host = "vm"
)

// world is one machine with a disk, a clock and processes, of ours and of old
// programs. Everything in it is deterministic but the ids.
type world struct {
	t    *testing.T
	disk *memfs.FS
	mu   sync.Mutex
	now  time.Time
	tick chan struct{} // see passing
	live map[int]bool
	// sleepers is how many wait for time to pass.
	sleepers atomic.Int32
	pids     int
	// blind: not every process of the machine can be seen.
	blind bool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOn(t, memfs.Options{})
}

func newWorldOn(t *testing.T, opt memfs.Options) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), live: map[int]bool{}, pids: 100,
		tick: make(chan struct{})}
	opt.Clock, opt.Durable = w.time, true
	w.disk = memfs.New(opt)
	w.ok(w.disk.MkdirAll(dir, 0o777))
	return w
}

func (w *world) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
	close(w.tick)
	w.tick = make(chan struct{})
}

func (w *world) alive(pid int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.live[pid]
}

func (w *world) end(pid int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.live, pid)
}

func (w *world) begin() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pids++
	w.live[w.pids] = true
	return w.pids
}

// Now, Sleep: the world's clock. A sleep that can be cancelled lasts until the test
// lets time pass; any other takes no time but the world's.
func (w *world) Now() time.Time { return w.time() }

func (w *world) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if ctx.Done() == nil {
		w.pass(d)
		return nil
	}
	end := w.time().Add(d)
	w.sleepers.Add(1)
	defer w.sleepers.Add(-1)
	for {
		tick := w.passing()
		if !w.time().Before(end) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick:
		}
	}
}

// passing is closed when time passes next.
func (w *world) passing() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tick
}

// machine is what one process sees of the world.
type machine struct {
	w    *world
	self evidence.Self
}

func (m *machine) Self() *evidence.Self { return &m.self }

func (m *machine) Process(pid int) evidence.ProcessInfo {
	if m.w.alive(pid) {
		return evidence.ProcessInfo{State: evidence.Running, Start: protocol.Number(fmt.Sprint(pid))}
	}
	return evidence.ProcessInfo{State: evidence.Absent}
}

func (m *machine) Anywhere(pid int) (exists, known bool) { return m.w.alive(pid), !m.w.blind }

// proc is a process, ours or an old program's, under a hook before each step.
type proc struct {
	w      *world
	pid    int
	lock   string
	disk   *memfs.Process
	fs     *faultfs.FS
	before func(faultfs.Op) error
	env    *env.Env
	ctx    context.Context
	self   *evidence.Self
}

func (w *world) proc() *proc {
	p := &proc{w: w, pid: w.begin(), lock: lock, disk: w.disk.Process()}
	p.fs = faultfs.Wrap(p.disk, faultfs.Hooks{Before: func(op faultfs.Op) error {
		if p.before == nil {
			return nil
		}
		return p.before(op)
	}})
	instance, err := protocol.NewID()
	w.ok(err)
	m := &machine{w: w, self: evidence.Self{PID: p.pid, Hostname: host, Boot: strings.Repeat("a", 32),
		Machine: strings.Repeat("b", 16), PIDNS: "1", TimeNS: "1", Start: protocol.Number(fmt.Sprint(p.pid)),
		Instance: instance, InitialPIDNS: true, BootedAt: w.now.Add(-time.Hour)}}
	p.self = &m.self
	p.env = &env.Env{FS: p.fs, Machine: m, Clock: w, NewID: protocol.NewID, Leases: &env.Leases{}}
	p.ctx = env.With(context.Background(), p.env)
	return p
}

// kill ends the process as SIGKILL does.
func (p *proc) kill() {
	p.w.end(p.pid)
	p.disk.Kill()
}

// program makes the process one of an old program.
func (p *proc) program(name string) oldprograms.Program {
	return oldprograms.New(name, oldprograms.Self{FS: p.fs, Host: host, PID: p.pid, Now: p.w.time, Alive: p.w.alive, NewID: newID})
}

func newID() string {
	id, err := protocol.NewID()
	if err != nil {
		panic(err)
	}
	return string(id)
}

// at is the place as a process of ours that holds v3 generation mine sees it.
func at(mine protocol.ID) legacy.Place { return legacy.Place{Lock: lock, Mine: mine} }

func mustParse(t *testing.T, list string) legacy.Set {
	t.Helper()
	set, err := legacy.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) exists(path string) bool {
	_, err := w.disk.Process().Lstat(path)
	return err == nil
}

// hold is a dead or live old holder: an old program that took the lock.
func (w *world) hold(name string) *proc {
	w.t.Helper()
	p := w.proc()
	got, err := p.program(name).Try(lock)
	if err != nil || !got {
		w.t.Fatalf("an old %s program cannot take the lock: %v %v\n%s", name, got, err, w.disk.Dump())
	}
	return p
}

func (w *world) idOf(path string) vfs.ID {
	info, err := w.disk.Process().Lstat(path)
	if err != nil {
		return vfs.ID{}
	}
	return info.ID()
}
