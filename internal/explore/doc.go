// Package explore runs the real code in every order of steps.
//
// A World is a machine in memory: a model file system (memfs), a table of
// processes, clocks. Each simulated process (Proc) runs the root package's acquire
// loop, fence, retire, generation and all below them, in a coroutine. It reaches
// its world only through the env.Env in its context, and gives way before its
// operations. A scheduler decides who moves next, who crashes, and which operation
// fails. Rules (rules.go) look at every rename, removal and answer.
//
// A crash is a SIGKILL: all descriptors go, and with the last one of an open file
// its lock. The coroutine runs on into its error paths, where every operation fails
// and none has an effect, so that nothing of it is left in this program.
//
// # What is explored
//
// Explore searches depth first through all schedules of a Scenario, each from the
// beginning, since running code cannot be copied. Three reductions keep that
// finite and small. Each leaves out only schedules that lead to a state that some
// explored schedule reaches, too.
//
// Scheduling points. Only before some kinds of operations may somebody else move.
// An operation is of interest if it races: it and an operation of another process
// touch the same thing, one of them changes it, and nothing orders the two, neither
// the programs nor a chain of other operations that depend on each other
// (race.go, with vector clocks, as in dynamic partial order reduction). Kinds are
// learned: whenever a run shows a race, both kinds become scheduling points for
// good, and in the end one whole search must have learned nothing. This is sound:
// suppose a schedule is not equivalent to any explored one, and take the shortest
// beginning of it that is not. Its last operation y is of a kind that is no
// scheduling point, and depends on an operation x of another process before it.
// Without y the beginning is explored; there the owner of y does not stop before
// y, so y came before x, with nothing in between that orders them: a race, by which
// the kind of y had become a scheduling point.
//
// States. A state is the contents of the disk, the locks, and for each process the
// hash of everything that its operations ever answered, which decides its memory,
// because it is deterministic. To make equal states look equal, ids and inode
// numbers are made of who made them and how many that one had made, clocks are
// each process's own and move only when it sleeps, and the time of a directory is
// that of its making. When a call into the real code has returned, its history is
// replaced by its outcome; and at each sleep of a waiter by the directories it has
// open and what it retired, because nothing else that the acquire loop remembers
// changes what it does (Scenario.Remember keeps it where that is not so, with Do). A
// state that was reached before is not explored again.
//
// Sleep sets. Of two moves that depend on nothing of each other only one order is
// tried (sleep.go). They are combined with the states in Godefroid's way, so that
// all states are still reached. They are not used when preemptions are bounded.
//
// A waiter that sleeps is woken when something changed since it last woke, at most
// Scenario.Polls times, and otherwise only when nobody else can move. Sleeping
// through more changes leads to states that a later start of its call reaches, so
// the bound k = Polls matters only for what it does between two looks.
//
// Crashes: before every change of a process, and at every scheduling point, it may
// be killed, Scenario.Crashes times in all. A crash that follows a mere look is the
// same as one before it. In addition, after every change in every run, a newcomer
// is let into a copy of the disk on which everybody is dead: it has to get the
// lock, release it, collect, and leave nothing (recover.go).
//
// With Scenario.Preemptions at 0 or more the search is bounded: so often a process
// that could go on has to wait for another one, crashes not counted.
//
// Random and Hunt try schedules at random, beyond all bounds.
//
// # What a finding looks like
//
// A schedule is made shorter as long as the same rule breaks: fewer turns, then
// fewer operations. It is told as numbered steps and as a line for -schedule, which
// counts operations and so does not depend on what a search has learned. When the
// code changes the counts change; regression tests tell their schedules in words
// (see follow).
//
// # What is not explored
//
// The inside of a single file operation. Lease.Context, With and the building part
// of Do, which have a goroutine with a real clock. Waking up (internal/watch), which
// the model's clock switches off, and the queue: they are hints, and never safety.
// Network file systems. More than one lock.
//
// # Old programs
//
// Beside ours may run the old programs of package oldprograms. Their steps go by
// path, so that the handle of a parent that package vfs wants is none: it is
// followed in the very step that it is for (old.go). The rules about them are in
// oldrules.go, what nobody can prevent in window.go, and who comes after everybody
// died in oldrecover.go.
package explore
