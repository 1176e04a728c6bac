package legacy

import (
	"fmt"
	"slices"
	"strings"

	"genlock.dev/genlock/protocol"
)

// kind is one line of the table of dialects.
type kind struct {
	name string
	// make makes the dialect. rule is what the caller wrote after "name=": a
	// rule of the dialect that it accepts as proof.
	make func(rule string) (Dialect, error)
	// place is what the old lock's path adds to L: a quick look there tells
	// whether there is anything to see.
	place string
	// bare: the lock is the directory L and must be empty in hold mode.
	bare bool
}

var kinds = []kind{
	{name: mkdirName, make: newMkdir},
	{name: v2Name, make: newV2, place: v2Suffix},
	{name: tokenName, make: newToken},
	{name: heartbeatName, make: newHeartbeat, bare: true},
}

// Parse reads a list of dialects separated by commas, such as "mkdir,v2". A
// dialect may be followed by a rule that the caller accepts as proof that a
// holder is gone, and without which it is undecidable until it is released:
//
//	token=here       every program that uses the cache runs on this machine,
//	                 so that a record without a host name means this one
//	heartbeat=10s    a lock that was not touched for so long is abandoned;
//	                 no shorter than the longest "stale" of its programs
//
// An empty list enables none. The error is a *protocol.UsageError.
func Parse(list string) (Set, error) {
	var set Set
	for word := range strings.SplitSeq(list, ",") {
		name, rule, _ := strings.Cut(strings.TrimSpace(word), "=")
		if name == "" && rule == "" {
			continue
		}
		k, ok := kindOf(name)
		if !ok {
			return nil, usage(name, "there is no such dialect; there are "+strings.Join(Names(), ", "))
		}
		if slices.ContainsFunc(set, func(d Dialect) bool { return d.Name() == name }) {
			return nil, usage(name, "it is named twice")
		}
		d, err := k.make(rule)
		if err != nil {
			return nil, err
		}
		set = append(set, d)
	}
	return set, nil
}

// Names lists the dialects that there are.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

func kindOf(name string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

func noRule(name, rule string) error {
	if rule == "" {
		return nil
	}
	return usage(name, fmt.Sprintf("it has no rule %q", rule))
}

func usage(name, why string) error {
	return &protocol.UsageError{What: fmt.Sprintf("dialect %q", name), Why: why}
}
