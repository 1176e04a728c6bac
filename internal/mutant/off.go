//go:build !genlock_mutants

package mutant

// On is false.
func On(Name) bool { return false }
