// Package legacy sees, fences, reclaims and, in hold mode, takes the locks of
// older protocols, so that a team can switch on genlock while old programs
// still run. docs/migration.md is the plan; docs/protocol.md, "Old protocols",
// holds the facts.
//
// A Dialect is the adapter for one old protocol. A Set is the dialects that a
// caller has enabled, and what an acquire loop calls:
//
//  1. Set.Look, before anything else and while waiting: who stands in the way?
//     It writes nothing. A spent old lock does not stand in the way.
//  2. v3 is taken.
//  3. Set.Clear, holding v3: the decisive look. It fences and reclaims what is
//     provably spent. Whoever still stands in the way makes the caller release
//     v3 and wait.
//  4. In hold mode, Set.Hold: the old lock is taken as well.
//  5. Holding.Check together with that of v3; Holding.Release before that of v3.
//
// Old programs delete and rename by path, without looking. What this package
// moves it verifies afterwards, and puts a displaced live lock back without
// replacing anything. What windows remain is listed in docs/migration.md.
//
// Adding a dialect is one file and one line in the table of parse.go.
package legacy
