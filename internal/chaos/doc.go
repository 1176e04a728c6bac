// Chaos lets real processes use locks on the real system while everything that can
// go wrong does, and checks from outside that what docs/protocol.md promises holds:
//
//	go run ./internal/chaos              20 seconds, as CI does
//	go run ./internal/chaos -for 1h -n 6
//
// A run is a series of rounds. In each, workers draw their turns from the seed, a
// nemesis kills and stops them and spoils the disk, and everybody notes what it does
// in one history. Afterwards the history is checked, every lock is taken once more,
// and what is left is looked at. Timing is the machine's own, so that the same seed
// draws the same plan and not the same schedule.
//
// The files without a system in their name know nothing of genlock: the history,
// its checker, and the plan.
package main
