package genlock

import (
	"time"

	"genlock.dev/genlock/protocol"
)

// Options change how a Lock behaves. The zero value is a good default: our own
// format, wait without a bound, record nothing about the caller but pid and host.
type Options struct {
	// Format names who cooperates; empty is protocol.Genlock.
	Format protocol.Format
	// About is what the record tells others about this holder. argv, the
	// working directory and the user are recorded only if the caller puts
	// them here.
	About protocol.About
	// Wait bounds the whole wait of Acquire, With and Do; 0 is no bound. An
	// expired wait never takes the lock: it fails with *HeldError.
	Wait time.Duration
	// PerHolder bounds the wait for any single holder, so that a long queue of
	// honest holders does not fail the last one; 0 is no bound.
	PerHolder time.Duration
	// NoWait makes Acquire, With and Do fail at once, with *HeldError, when
	// somebody else holds the lock, as TryAcquire does.
	NoWait bool
	// FailUndecidable fails at once, with *HeldError, when the holder can be
	// proven neither alive nor gone. By default that is waited for.
	FailUndecidable bool
	// Fsync makes a published artifact durable before it becomes visible.
	Fsync bool
	// Dialects lists the protocols of older programs whose locks stand at L, or
	// beside it, separated by commas: "mkdir,v2,token,heartbeat". An old lock
	// blocks in any case; of the dialects named here it is judged by the
	// dialect's rules and reclaimed when its holder is provably gone.
	// legacy.Parse has the words, and docs/migration.md the plan.
	Dialects string
	// Hold takes the old lock of every dialect as well while the lock is held,
	// so that old programs and this one exclude each other. Losing it to an
	// old program is losing the lease: ErrLost.
	Hold bool
	// OnEvent is told what happens. It is called from the goroutine that
	// acquires, so it must not block long and must not use the Lock.
	OnEvent func(Event)
	// EventEvery is how often EventWaiting is repeated while nothing changes, after
	// the first second of a wait; less than a second, and 0, is a second. A wait
	// that has less to tell wakes up less.
	EventEvery time.Duration
	// Log is a file to which what happens is appended, one JSON object a line,
	// for `genlock history`; empty is none. Processes may share it. What cannot
	// be written is missing there and harms nothing. It names the lock, this
	// process, and what About says. docs/json.md has its fields.
	Log string
	// LogLimit bounds the log together with its predecessor, Log+".1", in
	// bytes; 0 is 16 MiB.
	LogLimit int64
}
