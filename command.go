package genlock

import (
	"errors"
	"os"
	"os/exec"
	"sync"
)

// Environment variables that commands started through a lease find.
const (
	LockVariable       = "GENLOCK_LOCK"
	GenerationVariable = "GENLOCK_GENERATION"
	OutVariable        = "GENLOCK_OUT"
)

// Start starts cmd so that it, and whatever it starts, keeps the generation alive
// until the last of them ends, also when this process is killed: they inherit
// the witness. (Programs that close inherited descriptors for their children,
// such as python's subprocess, end that there. Windows has no
// witness.) Descriptors that this process itself inherited are passed on as
// they are. cmd finds the lock in its environment.
func (l *Lease) Start(cmd *exec.Cmd) error { return StartAll(cmd, l) }

// StartAll is Start under several leases: the command keeps all of them. Its
// environment names the first one, and every one as held.
func StartAll(cmd *exec.Cmd, leases ...*Lease) error {
	for _, l := range leases {
		done, err := l.tenure.Use() // its witness stays open while it is handed on
		if err != nil {
			return ErrReleased
		}
		defer done()
		if err := l.Check(); err != nil {
			return err
		}
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, EnvironAll(leases...)...)
	guards, err := guardAll(leases)
	if err != nil {
		return err
	}
	var witnesses []uintptr
	for _, l := range leases {
		if fd, ok := l.tenure.Descriptor(); ok {
			witnesses = append(witnesses, fd)
		}
	}
	gone, err := startWithWitnesses(cmd, witnesses, len(guards) > 0)
	if len(guards) > 1 && err == nil {
		gone = sync.OnceValue(gone)
	}
	for l, remove := range guards {
		if err != nil {
			err = errors.Join(err, remove())
			continue
		}
		l.mu.Lock()
		l.commands = append(l.commands, command{gone, remove})
		l.mu.Unlock()
	}
	return err
}

// guardAll puts up the guards that the formats of the leases want, all or none.
func guardAll(leases []*Lease) (map[*Lease]func() error, error) {
	guards := make(map[*Lease]func() error)
	for _, l := range leases {
		if _, ok := l.tenure.Descriptor(); !ok {
			continue
		}
		remove, err := l.tenure.Guard()
		if err != nil {
			for _, remove := range guards {
				err = errors.Join(err, remove())
			}
			return nil, err
		}
		if remove != nil {
			guards[l] = remove
		}
	}
	return guards, nil
}

// command is something started under the lease behind a guard: gone tells whether
// its whole tree has ended, and remove takes back the guard.
type command struct {
	gone   func() bool
	remove func() error
}

// dropGuards removes the guards of commands that are provably gone. What remains
// binds nobody but the collector of this generation's tombstone.
func (l *Lease) dropGuards() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.commands {
		if c.gone() {
			c.remove()
		}
	}
	l.commands = nil
}

// Environ is what Start adds to a command's environment: by it the command finds the
// lock, and a lock taken again below it fails with ErrNested. For commands
// that are started in another way and do not keep the generation alive.
func (l *Lease) Environ() []string { return EnvironAll(l) }

// EnvironAll is Environ for a command under several leases.
func EnvironAll(leases ...*Lease) []string {
	if len(leases) == 0 {
		return nil
	}
	first := leases[0]
	chain := first.chain[:len(first.chain):len(first.chain)]
	for _, l := range leases {
		chain = append(chain, link{l.Generation(), l.lock.path})
	}
	return []string{LockVariable + "=" + first.lock.path,
		GenerationVariable + "=" + string(first.Generation()), HeldVariable + "=" + formatHeld(chain)}
}

// Run is Start and Wait.
func (l *Lease) Run(cmd *exec.Cmd) error {
	if err := l.Start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}
