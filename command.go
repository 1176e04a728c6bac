package genlock

import (
	"errors"
	"os"
	"os/exec"
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
// such as python's subprocess and node's spawn, end that there. Windows has no
// witness.) Descriptors that this process itself inherited are passed on as
// they are. cmd finds the lock in its environment.
func (l *Lease) Start(cmd *exec.Cmd) error {
	if err := l.Check(); err != nil {
		return err
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, l.Environ()...)
	fd, ok := l.tenure.Descriptor()
	if !ok {
		return cmd.Start()
	}
	remove, err := l.tenure.Guard()
	if err != nil {
		return err
	}
	gone, err := startWithWitness(cmd, fd, remove != nil)
	if remove == nil {
		return err
	}
	if err != nil {
		return errors.Join(err, remove())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commands = append(l.commands, command{gone, remove})
	return nil
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
func (l *Lease) Environ() []string {
	chain := append(l.chain[:len(l.chain):len(l.chain)], link{l.Generation(), l.lock.path})
	return []string{LockVariable + "=" + l.lock.path,
		GenerationVariable + "=" + string(l.Generation()), HeldVariable + "=" + formatHeld(chain)}
}

// Run is Start and Wait.
func (l *Lease) Run(cmd *exec.Cmd) error {
	if err := l.Start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}
