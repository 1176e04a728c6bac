package tree

import (
	"sync/atomic"

	"genlock.dev/genlock/protocol"
)

// Fenced is what a fence or a tenure stands for: one generation under one root,
// as it was read when the claim was confirmed, or as it was published.
type Fenced struct {
	Root       *Root
	Generation *Generation
	// Claim is the claim behind a fence.
	Claim protocol.ID
	// Spent: the claim was withdrawn.
	Spent bool
	// Unclear: a rename for this generation was sent and may still happen, so
	// neither completion nor withdrawal may be written (rule 10).
	Unclear bool
	// Touched: an artifact may be, or have been, built in the generation, a command have
	// its witness, so that the directory is of no use for another generation, and may
	// hold more than names.
	Touched atomic.Bool
}
