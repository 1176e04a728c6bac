// Package genlock is a lock for build caches: one builder per key, everyone else
// adopts what it built, and a crash neither wedges the key nor lets two builders
// in.
//
// A lock is a path on which processes agree, such as cache/3fa9.lock; [Path] makes
// one from any key. [New] names it and touches nothing. Each tenure of the lock
// is a generation with an id of its own, and only that very generation can be
// released, reclaimed or published from. What lies on disk is described in
// docs/protocol.md.
//
// There are three ways to use it:
//
//   - [Lock.Do] is for artifacts. It returns at once when the artifact is there,
//     waits while somebody else builds it, and builds it under the lock
//     otherwise. The artifact appears whole, by one rename, and only if the lock
//     is still held at that moment.
//   - [Lock.With] runs a function under the lock.
//   - [Lock.Acquire] and [Lock.TryAcquire] return a [Lease], for whatever does not
//     fit into a function. Release it. [AcquireAll] takes several locks at once.
//
// Commands started by [Lease.Start] or [Lease.Run] inherit what keeps the
// generation held: when this process is killed, it stays held until the last
// process of their tree has ended.
//
// # Waiting
//
// Waiting is without bound unless the context or the [Options] set one. It writes
// nothing to the file system. The lock is taken over from somebody else only on
// evidence that the holder is gone or finished, never because of its age or
// because a wait expired. A holder of whom nothing can be proven is waited for;
// [HeldError] and [Lock.Status] say who it is, why nothing is decided, and what to
// type.
//
// Goroutines of one process line up in memory, in the order they came.
//
// # What may not be assumed
//
//   - The parent directory of a lock has to exist. Nothing else has to.
//   - [Lease.Check] and [Lock.Status] answer about the past. A lock can be lost
//     right after either: an operator can break it. Only publishing through the
//     generation, as [Lock.Do] and [Lease.Publish] do, cannot be outrun.
//   - The lock guards what goes through it. What a build writes elsewhere by
//     itself, or with [Artifact].InPlace, a builder that lost the lock can go on
//     writing.
//   - That a lock is free does not mean that an artifact was built.
//   - A child process that does not inherit descriptors, such as what python's
//     subprocess starts, does not keep the generation held. On Windows none does.
//   - Holders on other machines are never found to be gone. Holders in other
//     containers are, by their witness, as long as they share the kernel and a
//     local file system.
//
// # Errors
//
// Errors match the sentinels of this package with errors.Is; the typed errors
// carry the facts. What the operating system refused stays an *fs.PathError or
// *os.LinkError within. An expired wait matches both [ErrHeld] and
// context.DeadlineExceeded.
package genlock
