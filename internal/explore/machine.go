package explore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/protocol"
)

// Where and when the simulated machine is.
const (
	lockDir  = "/c"
	lockBase = "k.lock"
	lockPath = lockDir + "/" + lockBase
	rootBase = lockBase + protocol.RootSuffix
	rootPath = lockPath + protocol.RootSuffix
)

var (
	booted = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	began  = booted.Add(time.Hour)
)

// self is evidence.Machine for one process: the table of simulated processes,
// seen from its namespaces.
type self struct {
	p    *Proc
	self evidence.Self
}

func newSelf(p *Proc, pidns string) self {
	return self{p: p, self: evidence.Self{
		PID: 100 + p.n, Hostname: "vm", Boot: strings.Repeat("a", 32), Machine: strings.Repeat("a", 16),
		PIDNS: protocol.Number(pidns), TimeNS: "2", Start: protocol.Number(fmt.Sprint(1000 + p.n)),
		Instance: protocol.ID(fmt.Sprintf("%032x", 0xabc0+p.n)), InitialPIDNS: pidns == firstPIDNS,
		BootedAt: booted,
	}}
}

const firstPIDNS = "1"

// Self identifies the process. It costs no step: the real one is read once.
func (s *self) Self() *evidence.Self { return &s.self }

// Process asks for a process by number. Whether it exists is an object like any
// other: its crash is the write.
func (s *self) Process(pid int) evidence.ProcessInfo {
	other := s.p.w.byPID(pid)
	if !s.ask(other, pid) {
		return evidence.ProcessInfo{State: evidence.Unknown, Why: "dead"}
	}
	if other == nil || other.dead || other.self.self.PIDNS != s.self.PIDNS {
		s.p.end(false, 1)
		return evidence.ProcessInfo{State: evidence.Absent}
	}
	s.p.end(false, 2)
	return evidence.ProcessInfo{State: evidence.Running, Start: other.self.self.Start}
}

// Anywhere tells whether a living process has the number in any namespace.
func (s *self) Anywhere(pid int) (exists, known bool) {
	other := s.p.w.byPID(pid)
	if !s.ask(other, pid) {
		return false, false
	}
	exists = other != nil && !other.dead
	s.p.end(false, 3)
	return exists, true
}

func (s *self) ask(other *Proc, pid int) bool {
	o := op{verb: vProbe, name: fmt.Sprintf("pid %d", pid), at: point{verb: vProbe}}
	if other != nil {
		o.name = other.name
	}
	if !s.p.begin(o) {
		return false
	}
	if other != nil {
		s.p.touchLife(other, reads)
	}
	return true
}

// patience is how often a sleeper is woken because nobody else can run. After it
// waiting has proved to be in vain.
const patience = 8

// wallclock is env.Clock for one process. Clocks of different processes are not
// in step: nothing may rest on that. Sleeping takes as long as the scenario
// says, which is always longer than asked for.
type wallclock struct{ p *Proc }

func (c wallclock) Now() time.Time {
	if c.p.dead {
		c.p.now = c.p.now.Add(time.Hour) // whoever retries until a deadline stops
	}
	return c.p.now
}

func (c wallclock) Sleep(ctx context.Context, d time.Duration) error {
	p := c.p
	if ctx.Done() != nil && env.From(ctx) != p.env {
		// Whoever keeps an old lock alive has a goroutine of its own. Time
		// stands still for it.
		<-ctx.Done()
		return context.Cause(ctx)
	}
	if p.dead {
		return errDead
	}
	p.doing, p.touches = op{verb: vSleep, at: point{verb: vSleep}}, p.touches[:0]
	p.touchWanted(reads)
	p.end(false, 0)
	if p.cancelled {
		return context.Cause(ctx)
	}
	p.state = asleep
	p.giveWay()
	if p.dead {
		return errDead
	}
	if p.cancelled {
		return context.Cause(ctx)
	}
	p.doing = op{verb: vMark, name: "wakes", at: point{verb: vSleep}}
	p.now = p.now.Add(max(d.Round(time.Second), time.Second, p.w.sc.Oversleep))
	p.end(false, 0)
	if !p.w.sc.Remember {
		p.settle(1)
	}
	if p.idle > patience {
		return context.DeadlineExceeded
	}
	return nil
}
