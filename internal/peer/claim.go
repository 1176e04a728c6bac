//go:build unix && !aix

package main

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// claim is an observer's mark inside a generation.
type claim struct {
	id, generation string
	witness        int
}

// consider decides about a held lock and says whether it was reclaimed.
func (p *peer) consider(v *view) (bool, error) {
	if p.careful {
		return p.considerCareful(v)
	}
	return p.considerForeign(v)
}

// considerCareful writes nothing before the holder looks gone. The verdict that
// counts is the second one, after the claim is confirmed.
func (p *peer) considerCareful(v *view) (bool, error) {
	if !p.looksGone(v) {
		return false, nil
	}
	c, err := p.publishClaim(v)
	if c == nil {
		return false, err
	}
	// Confirmed means: looked up again from the root by path, never through
	// the handle, which follows a retired directory.
	confirmed := p.isCurrent(v.generation, v.at)
	if !confirmed || !p.looksGone(v) {
		return false, p.withdraw(v, c, confirmed)
	}
	if free, err := p.unguarded(v.generation); !free {
		return false, errors.Join(err, p.withdraw(v, c, confirmed))
	}
	err = p.retire(v.generation, v.at)
	if err != nil && !errors.Is(err, errNotCurrent) {
		// Unclear: the rename may still happen, so the claim stays open.
		return false, err
	}
	return err == nil, p.withdraw(v, c, confirmed)
}

// considerForeign claims first, once in every generation it sees, and leaves
// the claim behind whatever comes out of it.
func (p *peer) considerForeign(v *view) (bool, error) {
	if p.claimed != v.generation {
		c, err := p.publishClaim(v)
		if c == nil {
			return false, err
		}
		p.claimed, p.confirmed = v.generation, p.isCurrent(v.generation, v.at)
	}
	if !p.confirmed || !p.pidIsGone(v) {
		return false, nil
	}
	if free, err := p.unguarded(v.generation); !free {
		return false, err
	}
	err := p.retire(v.generation, v.at)
	if errors.Is(err, errNotCurrent) {
		return false, nil
	}
	return err == nil, err
}

// publishClaim returns nil without an error when the generation went away
// meanwhile. The careful style publishes through the handle, so that a claim
// can only land in the generation it names. The foreign one goes by path: its
// claims may land in a successor, where they mean nothing.
func (p *peer) publishClaim(v *view) (*claim, error) {
	c := &claim{id: p.newID(), generation: v.generation}
	dir := p.claimAside(c.id, c.generation)
	if err := p.mkdir(dir); err != nil {
		return nil, err
	}
	var err error
	c.witness, err = p.writeRecord(dir, c.id, c.generation, p.newID())
	if err != nil {
		p.dropClaim(dir, c)
		return nil, err
	}
	at, observers := v.fd, "observers"
	if !p.careful {
		at, observers = unix.AT_FDCWD, p.root+"/current/observers"
	}
	err = unix.Mkdirat(at, observers, 0o777)
	if err == nil {
		err = unix.Fchmodat(at, observers, p.mode, 0)
	}
	if err == nil || errors.Is(err, unix.EEXIST) {
		err = unix.Renameat(unix.AT_FDCWD, dir, at, observers+"/"+c.id)
	}
	if err == nil {
		return c, nil
	}
	if isAbsent(err) {
		// Retired and looked through for claims in between.
		return nil, p.dropClaim(dir, c)
	}
	// Unclear: it keeps its id and stays open, with its witness.
	return nil, err
}

// withdraw renames the claim out and then deletes it. The handle finds it in
// the tombstone too. A confirmed claim keeps its tombstone, so one that is
// missing was swept by somebody who had no right to.
func (p *peer) withdraw(v *view, c *claim, confirmed bool) error {
	away := p.claimAside(p.newID(), c.generation)
	err := unix.Renameat(v.fd, "observers/"+c.id, unix.AT_FDCWD, away)
	switch {
	case err == nil:
		err = removeAll(away)
	case isAbsent(err) && confirmed:
		err = fatalf("the open claim %s in %s was swept", c.id, c.generation)
	case isAbsent(err):
		err = nil
	default:
		return fmt.Errorf("withdrawing a claim: %w", err)
	}
	closeFD(c.witness)
	return err
}

// dropClaim deletes a claim that was never published.
func (p *peer) dropClaim(dir string, c *claim) error {
	err := discard(dir, p.claimAside(p.newID(), c.generation))
	closeFD(c.witness)
	if isAbsent(err) {
		return nil
	}
	return err
}

func (p *peer) claimAside(claim, generation string) string {
	return p.root + "/observer-candidate-" + claim + "-" + generation
}
