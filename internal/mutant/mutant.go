// Package mutant lets the schedule explorer break the code on purpose, to prove
// that it would notice.
//
// Each Name is a mistake that some lock, or an earlier draft of this protocol, has
// made. The code asks On(Name) at the one place where it makes the difference.
// Without the build tag genlock_mutants On is the constant false, so that the
// compiler drops the mistake together with the question; no shipped program has
// either. With the tag a test chooses one mistake at a time.
package mutant

// Name is one mistake.
type Name string

// The mistakes, in the words of those who made them.
const (
	// RemovalByPath deletes the held directory by its path.
	RemovalByPath Name = "removal by path"
	// VerdictBeforeClaim retires what is current by a verdict reached before.
	VerdictBeforeClaim Name = "verdict before claim"
	// NoConfirmation acts on a claim without looking current up anew.
	NoConfirmation Name = "no confirmation after the claim"
	// HandleConfirmation looks through the handle that it has open.
	HandleConfirmation Name = "claim confirmed through an open handle"
	// TombstoneAtReclaim deletes the tombstone as soon as it is made.
	TombstoneAtReclaim Name = "tombstone deleted at reclaim"
	// UncheckedRelease renames current without asking whose it is.
	UncheckedRelease Name = "release without checking the generation"
	// IdentityByTime takes directories of one modification time for the same.
	IdentityByTime Name = "identity by mtime"
	// IdentityByInode compares inode numbers and keeps nothing open meanwhile.
	IdentityByInode Name = "identity by inode"
	// ReleasedIsAbandoned takes a lock that vanished for one that was left.
	ReleasedIsAbandoned Name = "released taken for abandoned"
	// AbsenceIsBuilt believes that a holder who is done has built.
	AbsenceIsBuilt Name = "absence taken for built"
	// PIDAlone judges by the pid, whatever its namespace.
	PIDAlone Name = "pid-only liveness across namespaces"
	// UnlinkFlocked unlinks the locked file before it lets go.
	UnlinkFlocked Name = "unlink of a flocked file"
	// EmptyIsHeld refuses to replace an empty directory.
	EmptyIsHeld Name = "empty directory taken for held"
	// FailureBelieved takes a rename that reports failure for one that failed.
	FailureBelieved Name = "rename failure believed"
	// SharedCandidate gives two candidates one name.
	SharedCandidate Name = "two candidates sharing a name in one process"
	// CheckThenRename publishes through a handle after a look.
	CheckThenRename Name = "publish by check-then-rename"
	// LitterInPlace deletes litter under the name that its maker knows.
	LitterInPlace Name = "litter collected in place"
	// ExclusiveProbe locks the witness exclusively to see whether it is free.
	ExclusiveProbe Name = "witness probed exclusively"
	// ClaimsBeforeRetirement looks for claims while more can still land.
	ClaimsBeforeRetirement Name = "claims looked for before the retirement"
	// WitnessFirst closes the witness while a rename may still follow.
	WitnessFirst Name = "witness closed before the last retire attempt"
	// RetryAfterFallback goes on trying after it said that it is done.
	RetryAfterFallback Name = "background retry after the fallback"
	// EmptiedByPath empties, where nothing can be renamed, what the path leads to.
	EmptiedByPath Name = "generation emptied by path"
	// RootUnheld removes a root that looked idle without taking its lock.
	RootUnheld Name = "root removed without holding it"
	// OldFirst takes the old lock, in hold mode, before ours.
	OldFirst Name = "old lock taken before v3 in hold mode"
	// PlainTake renames onto L what replaces an empty directory there.
	PlainTake Name = "L taken by a plain rename"
	// BreakWithoutClaim retires with no claim to keep the tombstone.
	BreakWithoutClaim Name = "break without a claim"
	// RecycledClaimed recycles a retired directory although somebody has a claim in it.
	RecycledClaimed Name = "recycled across a claim"
)

// All lists every mistake.
func All() []Name {
	return []Name{RemovalByPath, VerdictBeforeClaim, NoConfirmation, HandleConfirmation, TombstoneAtReclaim,
		UncheckedRelease, IdentityByTime, IdentityByInode, ReleasedIsAbandoned, AbsenceIsBuilt, PIDAlone,
		UnlinkFlocked, EmptyIsHeld, FailureBelieved, SharedCandidate, CheckThenRename, LitterInPlace,
		ExclusiveProbe, ClaimsBeforeRetirement, WitnessFirst, RetryAfterFallback, EmptiedByPath, RootUnheld, OldFirst, PlainTake,
		BreakWithoutClaim, RecycledClaimed}
}
