package genlock

import (
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
	chain := append(l.chain[:len(l.chain):len(l.chain)], link{l.Generation(), l.lock.path})
	cmd.Env = append(cmd.Env, LockVariable+"="+l.lock.path,
		GenerationVariable+"="+string(l.Generation()), HeldVariable+"="+formatHeld(chain))
	fd, ok := l.tenure.Descriptor()
	if !ok {
		return cmd.Start()
	}
	return startWithWitness(cmd, fd)
}

// Run is Start and Wait.
func (l *Lease) Run(cmd *exec.Cmd) error {
	if err := l.Start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}
