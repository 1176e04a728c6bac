// Command peer is an independent client of the v3 lock protocol.
//
// It exists for one test: many peers and many processes of the library
// contend for the same lock path, turn after turn. The peer was written from
// the protocol page alone and imports no package of this module, so that the
// two cannot share a misreading. An overlap, a lost lock, or a tombstone or
// claim that was swept while somebody could still act on it, means that one
// of the two reads the contract wrongly. The peer reports each of these on
// standard error and exits with status 1.
//
//	peer -lock L -format genlock-v3 -turns 300 -section FILE [-hold D] [-style S] [-die P]
//
// Style careful (the default in the format genlock-v3) keeps the contract of
// the library's own processes: it holds a flock witness, records its process,
// writes nothing while it waits, claims only when the holder looks gone, and
// then confirms, judges, retires and withdraws.
//
// Style foreign (the default in ttsc-plugin-build-lock-v3) does no more than the
// contract expects of other programs: no witness, no process in its record,
// one claim in every generation it looks at and never withdrawn, a verdict by
// host name and pid alone, and a retirement by fence alone, without looking
// again right before the rename.
//
// What the peer leaves out on purpose: it collects nothing but its own
// tombstone, writes neither last.json nor queue, takes no old-protocol lock,
// and its careful style answers "undecidable" for records without a process.
// All of these are safe, because undecidable only ever makes it wait.
package main
