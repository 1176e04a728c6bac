package tree

// Fenced is what a fence stands for: one generation under one root, as it was
// read when the claim was confirmed.
type Fenced struct {
	Root       *Root
	Generation *Generation
	// Spent: the claim was withdrawn. Unclear: a rename for it may still
	// happen, so that neither completion nor withdrawal may be written
	// (rule 10).
	Spent, Unclear bool
}
