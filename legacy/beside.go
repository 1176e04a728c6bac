package legacy

import (
	"strings"

	"genlock.dev/genlock/protocol"
)

// Rest is what a name beside L tells: what an old protocol, or hold mode, left.
type Rest struct {
	Base    string // of the lock path
	Dialect string // "" for what only hold mode leaves
	Kind    RestKind
}

// RestKind says what a Rest is, and with that when it may go.
type RestKind string

const (
	// Tombstone: it stays until the operator says that its programs are extinct.
	Tombstone RestKind = "tombstone"
	// Attempt: what a crashed attempt left. It goes by age.
	Attempt RestKind = "attempt"
	// Quarantine: it goes when its owner cannot act any more.
	Quarantine RestKind = "quarantine"
	// Root: the place of a dialect's locks. It stays as long as its dialect is used.
	Root RestKind = "root"
)

// RestAt tells what the name of a directory says by itself, for listings.
func RestAt(name string) (Rest, bool) {
	for _, p := range []struct {
		middle, dialect string
		kind            RestKind
	}{
		{retiredMiddle, mkdirName, Tombstone},
		{fenceCandidate, mkdirName, Attempt},
		{v2Suffix + "." + protocol.CandidateName(""), v2Name, Attempt},
		{holdSuffix, "", Attempt},
	} {
		i := strings.LastIndex(name, p.middle)
		if i > 0 && hasID(name[i:], p.middle) {
			return Rest{name[:i], p.dialect, p.kind}, true
		}
	}
	if i := strings.Index(name, quarantineMiddle); i > 0 && isQuarantine(name, name[:i]) {
		return Rest{name[:i], tokenName, Quarantine}, true
	}
	if base, ok := strings.CutSuffix(name, v2Suffix); ok && base != "" {
		return Rest{base, v2Name, Root}, true
	}
	return Rest{}, false
}
