//go:build genlock_mutants

package main

import (
	"os"

	"genlock.dev/genlock/internal/mutant"
)

// With this tag GENLOCK_CHAOS_MUTANT names a mistake that all processes make.
func init() { mutant.Set(mutant.Name(os.Getenv("GENLOCK_CHAOS_MUTANT"))) }
