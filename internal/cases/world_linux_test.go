package cases

import (
	"context"
	"strings"
	"sync"
	"syscall"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// world is what is not as usual for one process.
type world struct {
	// Reboot: the machine was started anew, ten minutes from now.
	Reboot bool `json:",omitempty"`
	// Hostname and Machine instead of the machine's.
	Hostname string `json:",omitempty"`
	Machine  string `json:",omitempty"`
	// Flock is what every flock gets: "pretend" or the name of an errno.
	Flock string `json:",omitempty"`
	// NoLeases: the process has lost what it knew of its own leases.
	NoLeases bool `json:",omitempty"`
	// Hurry: whoever sleeps moves on its clock instead.
	Hurry bool `json:",omitempty"`
}

var errnos = map[string]error{"pretend": faultfs.Pretend(), "ENOLCK": syscall.ENOLCK, "ENOSYS": syscall.ENOSYS,
	"EBADF": syscall.EBADF}

// in is the context of a process in this world, and its machine.
func (w world) in() (context.Context, *machine) {
	ctx := context.Background()
	e := *env.From(ctx)
	m := newMachine(e.Machine, w)
	e.Machine = m
	if w.Reboot || w.NoLeases {
		e.Leases = new(env.Leases)
	}
	if w.Flock != "" {
		e.FS = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: faultfs.On(errnos[w.Flock], faultfs.Flock)})
	}
	if w.Hurry {
		e.Clock = &hurry{now: e.Clock.Now()}
	}
	return env.With(ctx, &e), m
}

// machine is the real one, with some of what it says about itself changed. It
// remembers which processes it was asked about.
type machine struct {
	evidence.Machine
	self evidence.Self

	mu    sync.Mutex
	asked []int
}

func newMachine(of evidence.Machine, w world) *machine {
	m := &machine{Machine: of, self: *of.Self()}
	if w.Hostname != "" {
		m.self.Hostname = w.Hostname
	}
	if w.Machine != "" {
		m.self.Machine = w.Machine
	}
	if w.Reboot {
		m.self.Instance = protocol.ID(strings.Repeat("c", len(protocol.NoBoot)))
		m.self.Boot = strings.Repeat("b", len(protocol.NoBoot))
		m.self.BootedAt = time.Now().Add(10 * time.Minute)
	}
	return m
}

func (m *machine) Self() *evidence.Self { return &m.self }

func (m *machine) Process(pid int) evidence.ProcessInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, pid)
	return m.Machine.Process(pid)
}

// hurry is a clock on which every sleep takes a minute, and no time.
type hurry struct {
	mu  sync.Mutex
	now time.Time
}

func (h *hurry) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hurry) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(max(d, time.Minute))
	return nil
}
