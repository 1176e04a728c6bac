//go:build genlock_mutants

package mutant

var active Name

// Set chooses the mistake to make; "" is none. Tests that set one run alone.
func Set(n Name) { active = n }

// On tells whether to make the mistake.
func On(n Name) bool { return n == active }
