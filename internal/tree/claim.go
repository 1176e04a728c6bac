package tree

import (
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Claim is one observer's claim inside a generation.
type Claim struct {
	ID      protocol.ID
	Dir     vfs.Dir
	Info    vfs.Info
	Record  *protocol.Record
	Witness *protocol.Witness
}

// Close closes the handle.
func (c *Claim) Close() { c.Dir.Close() }

// Party is the claimant as evidence wants it.
func (c *Claim) Party(kind vfs.Kind) evidence.Party {
	return evidence.Party{ID: c.ID, Dir: c.Dir, Record: c.Record, Witness: c.Witness,
		Kind: kind, Born: c.Info.ModTime}
}

// ClaimNames lists the claims inside g by name, those that are not ids too: what
// a stranger put there keeps a tombstone as well.
func (g *Generation) ClaimNames() ([]string, error) {
	d, err := g.Dir.OpenDir(protocol.ObserversName)
	if vfs.IsVanished(err) {
		return nil, nil
	}
	if err != nil {
		return nil, UnsafeDir(g.Dir, protocol.ObserversName, err)
	}
	defer d.Close()
	names, err := d.Names(0)
	if vfs.IsVanished(err) {
		return nil, nil
	}
	return names, err
}

// OpenClaim reads the claim directory name below d; nil when it vanished.
func OpenClaim(d vfs.Dir, name string, id protocol.ID) (*Claim, error) {
	dir, err := d.OpenDir(name)
	if vfs.IsVanished(err) {
		return nil, nil
	}
	if err != nil {
		return nil, UnsafeDir(d, name, err)
	}
	c := &Claim{ID: id, Dir: dir}
	if err := c.read(); err != nil {
		dir.Close()
		return nil, err
	}
	return c, nil
}

func (c *Claim) read() (err error) {
	if c.Info, err = c.Dir.Stat(); err != nil {
		return err
	}
	if c.Record, _, err = ReadRecord(c.Dir); err != nil {
		return err
	}
	if c.Record != nil && c.Record.Process != nil {
		c.Witness = WitnessOf(c.ID, c.Record.Process)
		return nil
	}
	names, err := c.Dir.Names(0)
	if err != nil {
		return err
	}
	for _, name := range names {
		if w, ok := protocol.ParseWitness(name); ok && w.Of == c.ID {
			c.Witness = &w
		}
	}
	return nil
}
