package lab

import (
	"context"
	"fmt"
	"strconv"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/protocol"
)

// process is one process of a world, with all that the code under test can see of
// the outside.
type process struct {
	w    *world
	pid  int
	fs   *memfs.Process
	ctx  context.Context
	env  *env.Env
	self *evidence.Self
	// armed: operations count, and plan decides what becomes of them.
	armed bool
	plan  func(faultfs.Op) error
	ops   []faultfs.Op
	// endless: the verb did not come to an end by itself.
	endless bool
}

// mostOperations is far more than any verb needs. A verb that gets there would
// never end.
const mostOperations = 20_000

func (w *world) process() *process { return w.processOf(memfs.User{Umask: 0o022}) }

func (w *world) processOf(user memfs.User) *process {
	w.mu.Lock()
	w.last++
	pid := w.last
	w.alive[pid] = true
	w.mu.Unlock()
	p := &process{w: w, pid: pid, fs: w.disk.ProcessOf(user)}
	p.self = &evidence.Self{
		PID: pid, Hostname: "vm", Boot: fmt.Sprintf("%032x", w.boot), Machine: "00000000000000aa",
		PIDNS: "1", TimeNS: "1", Start: protocol.Number(strconv.Itoa(pid)),
		Instance: protocol.ID(fmt.Sprintf("%032x", 1000*w.boot+pid)), InitialPIDNS: true, BootedAt: w.booted,
	}
	p.env = &env.Env{
		FS: faultfs.Wrap(p.fs, faultfs.Hooks{Before: p.before}), Machine: p,
		Clock: w.clock, NewID: w.clock.newID, Leases: &env.Leases{},
	}
	p.ctx = env.With(context.Background(), p.env)
	return p
}

func (p *process) before(op faultfs.Op) error {
	if !p.armed {
		return nil
	}
	op.N = len(p.ops) + 1
	p.ops = append(p.ops, op)
	if op.N > mostOperations {
		p.endless = true
		p.kill()
		return nil
	}
	if p.plan == nil {
		return nil
	}
	return p.plan(op)
}

// under runs do with every operation counted and at the mercy of plan.
func (p *process) under(plan func(faultfs.Op) error, do func() error) error {
	p.plan, p.armed, p.ops = plan, true, nil
	defer func() { p.armed = false }()
	return do()
}

// kill is SIGKILL: what the process asks for afterwards has no effect.
func (p *process) kill() {
	p.w.mu.Lock()
	delete(p.w.alive, p.pid)
	p.w.mu.Unlock()
	p.fs.Kill()
}

// Self implements evidence.Machine.
func (p *process) Self() *evidence.Self { return p.self }

// Process implements evidence.Machine.
func (p *process) Process(pid int) evidence.ProcessInfo {
	if !p.w.isAlive(pid) {
		return evidence.ProcessInfo{State: evidence.Absent}
	}
	return evidence.ProcessInfo{State: evidence.Running, Start: protocol.Number(strconv.Itoa(pid))}
}

// Anywhere implements evidence.Machine.
func (p *process) Anywhere(pid int) (exists, known bool) { return p.w.isAlive(pid), true }

func (w *world) isAlive(pid int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.alive[pid]
}
