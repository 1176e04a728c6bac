package explore

import (
	"time"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/internal/vfs"
)

// oldProcess is what a process of an old program has in place of the real code.
type oldProcess struct {
	program oldprograms.Program
	// judged is the lock whose record it read last, in this turn, and bare one
	// that it found without a record.
	judged, bare *node
	// seen is the lock at whose age it looked last.
	seen *node
	// stealing: it has waited for so long that it takes the lock from anybody.
	stealing bool
}

// become makes p a process of the old program name. Its steps go by path, each in
// one system call.
func (p *Proc) become(name string) {
	p.old = &oldProcess{program: oldProgram(name, oldprograms.Self{
		FS: p.env.FS, Host: p.self.self.Hostname, PID: p.self.self.PID, Now: p.env.Clock.Now,
		Alive: func(pid int) bool { return p.self.Process(pid).State != evidence.Absent },
		NewID: func() string {
			id, _ := p.newID()
			return string(id)
		}})}
}

func oldProgram(name string, self oldprograms.Self) oldprograms.Program {
	switch name {
	case "mkdir":
		return &oldprograms.Mkdir{Self: self}
	case "v2":
		return &oldprograms.V2{Self: self}
	case "token":
		return &oldprograms.Token{Self: self}
	}
	return &oldprograms.Heartbeat{Self: self}
}

// oldTries is how often an old program of ours tries.
const oldTries = 3

// oldTry is one turn of the old program's own loop. over: it threw.
func (p *Proc) oldTry() (got, over bool) {
	p.call()
	p.old.judged, p.old.bare, p.old.seen = nil, nil, nil
	p.robbed = robbed{}
	got, err := p.old.program.Try(lockPath)
	outcome := resultOf(err)
	if got {
		outcome = 1
	}
	p.done(outcome)
	return got, err != nil
}

// oldTake tries a few times, as if no time passed in between.
func (p *Proc) oldTake() bool {
	for range oldTries {
		got, over := p.oldTry()
		if got || over {
			return got
		}
	}
	return false
}

func (p *Proc) oldRelease() {
	p.call()
	p.old.judged, p.old.bare, p.old.seen = nil, nil, nil
	err := p.old.program.Release(lockPath)
	p.forgets()
	p.done(resultOf(err))
}

// Scripts.

func oldTenant(p *Proc) {
	if p.oldTake() {
		p.Work()
		p.oldRelease()
	}
}

func oldHolder(p *Proc) {
	if p.oldTake() {
		p.Inside()
	}
}

// oldThief has waited for ten minutes.
func oldThief(p *Proc) {
	p.call()
	p.old.stealing = true
	err := p.old.program.(interface{ Steal(string) error }).Steal(lockPath)
	p.old.stealing = false
	p.done(resultOf(err))
	oldTenant(p)
}

// leave closes a handle that is none.
func (d *dir) leave() error {
	if d.Dir == nil {
		return nil
	}
	return d.Dir.Close()
}

// arrive follows the path of a handle that is none: the old programs know nothing
// but paths, and package vfs wants their parents opened first. That happens in
// the very step that it is for.
func (d *dir) arrive() (err error) {
	if d.late == "" {
		return nil
	}
	d.leave()
	_, _, d.node = d.p.walk(d.late)
	if d.Dir, err = d.p.fs.OpenDir(d.late); err != nil {
		d.Dir, d.node = nil, nil
		return d.p.failed(err)
	}
	return nil
}

// Path is where the handle was opened, or would be.
func (d *dir) Path() string {
	if d.late != "" {
		return d.late
	}
	return d.Dir.Path()
}

// Touch is utimes on a path for the old programs, and on a handle for ours.
func (d *dir) Touch(t time.Time) error {
	if !d.p.begin(op{verb: vTouch, dir: d.Path(), at: d.p.pointAt(vTouch, d.node)}) {
		return errDead
	}
	to := d
	if d.p.old != nil {
		to = &dir{p: d.p, late: d.Path()}
		defer to.leave()
		if err := to.arrive(); err != nil {
			return err
		}
	}
	d.p.touch(mode, to.node, "", writes)
	if err := vfs.Touch(to.Dir, t); err != nil {
		return d.p.failed(err)
	}
	d.p.w.disk.change(to.node, func() { to.node.born = t.UnixNano() })
	d.p.end(true, 0)
	return nil
}

var _ vfs.Toucher = (*dir)(nil)
