// Package evidence gathers facts about a holder or a claimant: what its witness,
// its process, its boot say. A fact is not yet a verdict; package judge weighs
// them. Each rung of the ladder in docs/evidence.md is one small file here.
//
// A record is never trusted beyond what its own fields say, and what could not
// be read decides nothing.
package evidence
