package evidence

import (
	"time"

	"genlock.dev/genlock/protocol"
)

// Machine is what this machine can say about itself and its processes. It is the
// seam by which the ladder is tested everywhere without the system at hand.
type Machine interface {
	// Self identifies this very process. It is read once; the caller does
	// not change it.
	Self() *Self
	// Process looks at the process that has number pid in our own PID
	// namespace. Never called with pid < 1.
	Process(pid int) ProcessInfo
	// Anywhere tells whether a living process on this machine has number pid
	// in any PID namespace. known is false when not every process can be seen.
	Anywhere(pid int) (exists, known bool)
}

// Self is the identity of this process and its machine. Fields that could not be
// read are empty.
type Self struct {
	PID      int
	Hostname string
	Boot     string // 32 hex digits
	Machine  string // 16 hex digits, protocol.NoMachine when there is no id
	// PIDNS and TimeNS are the inodes of the namespaces, "0" on a system that
	// has none of the kind: there every process shares the one.
	PIDNS    protocol.Number
	TimeNS   protocol.Number
	Start    protocol.Number
	Instance protocol.ID
	// InitialPIDNS holds when this process is known to be in the initial PID
	// namespace. False also when unable to tell.
	InitialPIDNS bool
	// BootedAt is when this kernel started; zero when unknown.
	BootedAt time.Time
	// NoOpenFiles: a directory cannot be renamed here while a file below it is
	// open, so that a witness cannot be kept (Windows).
	NoOpenFiles bool

	// flocks remembers the self-test of the witness. Nil, as in tests that
	// count operations, means that nothing is remembered.
	flocks *flockMemory
}

// State is what is known about a process number.
type State int

const (
	// Unknown: it could not be read. Decides nothing.
	Unknown State = iota
	// Running, or sleeping, or frozen: everything that may go on.
	Running
	// Stopped by a signal or a tracer.
	Stopped
	// Dead: a zombie without further threads.
	Dead
	// Absent: the system says that no such process exists (ESRCH), never
	// merely a missing /proc entry.
	Absent
)

func (s State) String() string {
	return name(int(s), "unknown", "running", "stopped", "dead", "absent")
}

// ProcessInfo is what is known about one process number at one moment.
type ProcessInfo struct {
	State State
	// Start is the start time in the platform's own unit; empty if unknown.
	Start protocol.Number
	// Why says why State is Unknown.
	Why string
}
