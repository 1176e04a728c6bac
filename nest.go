package genlock

import (
	"context"
	"net/url"
	"os"
	"strings"

	"genlock.dev/genlock/protocol"
)

// HeldVariable is the environment variable by which commands learn which locks
// the chain of their parents holds. An entry counts only as long as its
// generation is current, so a stale one is harmless.
const HeldVariable = "GENLOCK_HELD"

// link is one lock held by the call chain, outermost first.
type link struct {
	generation protocol.ID
	lock       string
}

type chainKey struct{}

// chainOf is every lock that the caller's chain holds: through the environment,
// and through leases in the context.
func chainOf(ctx context.Context) []link {
	if links, ok := ctx.Value(chainKey{}).([]link); ok {
		return links
	}
	return parseHeld(os.Getenv(HeldVariable))
}

func withLink(ctx context.Context, l link) context.Context {
	chain := chainOf(ctx)
	return context.WithValue(ctx, chainKey{}, append(chain[:len(chain):len(chain)], l))
}

func parseHeld(value string) []link {
	var links []link
	for entry := range strings.SplitSeq(value, ":") {
		id, path, ok := strings.Cut(entry, "=")
		lock, err := url.QueryUnescape(path)
		if gen, valid := protocol.ParseID(id); ok && valid && err == nil {
			links = append(links, link{gen, lock})
		}
	}
	return links
}

func formatHeld(links []link) string {
	entries := make([]string, len(links))
	for i, l := range links {
		entries[i] = string(l.generation) + "=" + url.QueryEscape(l.lock)
	}
	return strings.Join(entries, ":")
}

// nested returns the error for a lock whose current generation the chain holds.
func nested(chain []link, lock string, current protocol.ID) error {
	for _, l := range chain {
		if l.generation != current {
			continue
		}
		e := &NestedError{Lock: lock, Generation: current}
		for _, l := range chain {
			e.Chain = append(e.Chain, l.lock)
		}
		return e
	}
	return nil
}
