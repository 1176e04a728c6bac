package tomb

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Fate is what Bury would do to a tombstone now. It may be old when it is read.
type Fate struct {
	// Gone: there is no such tombstone. Goes: nobody can still act on it.
	Gone, Goes bool
	// Stuck: it will not go by itself. Otherwise somebody is at work, or the
	// file system wants it to wait a while.
	Stuck bool
	// Why it stays, in one sentence.
	Why string
}

// FateOf looks at the tombstone of id and changes nothing.
func FateOf(r *tree.Root, id protocol.ID) (Fate, error) {
	g, v, err := judge.Settle(r, func() (*tree.Generation, error) { return r.Tombstone(id) })
	if err != nil || g == nil {
		return Fate{Gone: err == nil}, err
	}
	defer g.Close()
	switch {
	case v.Guards.Quarantine != "":
		return Fate{Stuck: true, Why: v.Guards.Quarantine}, nil
	case v.Guards.Pending:
		return Fate{Why: "a guard says that a command of it may still run"}, nil
	case !v.Spent():
		return Fate{Stuck: v.Answer == judge.Undecidable, Why: "its holder is " + v.Answer.String() + ": " + v.Why}, nil
	case tooYoung(r, g):
		return Fate{Why: "on a network file system it has to stay for a while"}, nil
	}
	return fateByClaims(r, g)
}

// fateByClaims is about a tombstone whose holder is spent.
func fateByClaims(r *tree.Root, g *tree.Generation) (Fate, error) {
	names, err := g.ClaimNames()
	if err != nil {
		return Fate{}, err
	}
	observers, err := g.Dir.OpenDir(protocol.ObserversName)
	if vfs.IsVanished(err) {
		return Fate{Goes: true}, nil
	}
	if err != nil {
		return Fate{}, err
	}
	defer observers.Close()
	for _, name := range names {
		id, ok := protocol.ParseID(name)
		if !ok {
			return Fate{Stuck: true, Why: "something lies among its claims that is none: " + name}, nil
		}
		c, err := tree.OpenClaim(observers, name, id)
		if err != nil {
			return Fate{}, err
		}
		if c == nil {
			continue
		}
		v := judge.Claimant(r, c)
		c.Close()
		if !v.Spent() {
			return Fate{Stuck: v.Answer == judge.Undecidable,
				Why: "somebody who has a claim in it is " + v.Answer.String() + ": " + v.Why}, nil
		}
	}
	return Fate{Goes: true}, nil
}

// IsLitter tells whether Litter would remove the directory name of the root now.
func IsLitter(r *tree.Root, name string) (bool, error) {
	dir, err := r.Dir.OpenDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer dir.Close()
	return isLitter(r, dir)
}
