package protocol

import "strings"

// Names inside a coordination root.
const (
	RootSuffix     = ".v3"
	MarkerName     = "protocol-v3"
	CurrentName    = "current"
	RetiredName    = "retired"
	ObserversName  = "observers"
	GenerationName = "generation"
	RecordName     = "owner.json"
	CompletionName = "task-complete"
	LastName       = "last.json"
	QueueName      = "queue"
	GuardsName     = ".ttsc-native-retirements"
)

// MaxBase is the longest base name of a lock path in bytes: with the longest
// helper name around it everything still fits in 255.
const MaxBase = 200

const (
	candidatePrefix = "candidate-"
	claimPrefix     = "observer-candidate-"
	stagePrefix     = "stage-"
	witnessPrefix   = "witness."
)

// CandidateName is an acquisition in flight, or something on its way out.
func CandidateName(id ID) string { return candidatePrefix + string(id) }

// ParseCandidateName reads a name made by CandidateName.
func ParseCandidateName(name string) (ID, bool) {
	s, ok := strings.CutPrefix(name, candidatePrefix)
	if !ok {
		return "", false
	}
	return ParseID(s)
}

// ClaimCandidateName is a claim on generation in flight, or on its way out.
func ClaimCandidateName(claim, generation ID) string {
	return claimPrefix + string(claim) + "-" + string(generation)
}

// ParseClaimCandidateName reads a name made by ClaimCandidateName.
func ParseClaimCandidateName(name string) (claim, generation ID, ok bool) {
	s, ok := strings.CutPrefix(name, claimPrefix)
	if !ok || len(s) != 65 || s[32] != '-' {
		return "", "", false
	}
	claim, ok1 := ParseID(s[:32])
	generation, ok2 := ParseID(s[33:])
	return claim, generation, ok1 && ok2
}

// RootName is the coordination root of the lock whose base name is base.
func RootName(base string) string { return base + RootSuffix }

// RootCandidateName is a root in flight, or on its way out.
func RootCandidateName(base string, id ID) string {
	return RootName(base) + "." + CandidateName(id)
}

// ParseRootCandidateName reads a name made by RootCandidateName for any base.
func ParseRootCandidateName(name string) (base string, id ID, ok bool) {
	const mid = RootSuffix + "." + candidatePrefix
	i := len(name) - 32 - len(mid)
	if i <= 0 || !strings.HasPrefix(name[i:], mid) {
		return "", "", false
	}
	id, ok = ParseID(name[i+len(mid):])
	return name[:i], id, ok
}

// StageName is the directory inside a generation in which its artifact is built.
func StageName(generation ID) string { return stagePrefix + string(generation) }

// BesideName is the staging of an artifact that lies on another file system than
// its lock: base is the artifact's base name (rule 14).
func BesideName(base string, generation ID) string { return base + ".genlock-" + string(generation) }

// ParseBesideName reads a name made by BesideName for the artifact base.
func ParseBesideName(name, base string) (ID, bool) {
	s, ok := strings.CutPrefix(name, base+".genlock-")
	if !ok {
		return "", false
	}
	return ParseID(s)
}

// Witness is what the name of a witness file says. Names survive what content
// does not, which is why identity is in it (rule 12).
type Witness struct {
	// Of is the generation or the claim.
	Of ID
	// Machine is 16 hex digits, all zero when the machine has no id.
	Machine string
	// Boot is 32 hex digits, all zero when the kernel's boot id could not be
	// read.
	Boot string
}

// Unknown values in the name of a witness.
const (
	NoMachine = "0000000000000000"
	NoBoot    = "00000000000000000000000000000000"
)

// Name is the file name of the witness.
func (w Witness) Name() string {
	return witnessPrefix + string(w.Of) + "." + w.Machine + "." + w.Boot
}

// ParseWitness reads the name of a witness file.
func ParseWitness(name string) (Witness, bool) {
	s, ok := strings.CutPrefix(name, witnessPrefix)
	if !ok {
		return Witness{}, false
	}
	parts := strings.Split(s, ".")
	if len(parts) != 3 || !isHex(parts[1], 16) || !isHex(parts[2], 32) {
		return Witness{}, false
	}
	of, ok := ParseID(parts[0])
	return Witness{Of: of, Machine: parts[1], Boot: parts[2]}, ok
}
