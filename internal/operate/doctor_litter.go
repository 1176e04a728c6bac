package operate

import (
	"fmt"

	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// litterCount sums up what prune would remove. A cache of many keys has some in
// many of them; one line about it is enough.
type litterCount struct {
	tombstones, candidates, roots int
	locks                         int
	size                          size
}

func (c *litterCount) any() bool { return c.tombstones+c.candidates+c.roots > 0 }

func (c *litterCount) report(d *doctor) error {
	if !c.any() {
		return nil
	}
	return d.found(Finding{Kind: "litter", Path: d.target.Path,
		What: fmt.Sprintf("finished and crashed attempts have left %d names with %s, in %d locks", c.size.names, c.size, c.locks),
		Evidence: fmt.Sprintf("%s of retired generations, %s of crashed attempts, %s on their way in or out; nobody can still act on them",
			plural(c.tombstones, "tombstone"), plural(c.candidates, "candidate"), plural(c.roots, "root")),
		Safe: true, Ignore: "yes: it holds nothing; it takes space, and inodes", Mend: "genlock prune " + quote(d.target.Path)})
}

// leftovers looks through a root for tombstones and litter.
func (d *doctor) leftovers(p place, r *tree.Root) error {
	if err := d.recordedFlock(p, r); err != nil {
		return err
	}
	before := d.litter
	ids, litter, err := names(r)
	if err != nil {
		return d.unreadable(r.Path, err)
	}
	for _, id := range ids {
		fate, err := tomb.FateOf(r, id)
		if err != nil {
			fate = tomb.Fate{Stuck: !vfs.IsVanished(err), Why: err.Error()}
		}
		if fate.Stuck {
			if err := d.stuck(p, r, id, fate); err != nil {
				return err
			}
		}
		if fate.Goes {
			d.litter.tombstones++
			d.litter.size.add(below(r.Dir, protocol.RetiredName, string(id)))
		}
	}
	for _, name := range litter {
		if is, err := tomb.IsLitter(r, name); err == nil && is {
			d.litter.candidates++
			d.litter.size.add(measure(r.Dir, name))
		}
	}
	if d.litter != before {
		d.litter.locks++
	}
	return nil
}

// stuck is a tombstone that cannot go.
func (d *doctor) stuck(p place, r *tree.Root, id protocol.ID, fate tomb.Fate) error {
	path := r.Path + "/" + protocol.RetiredName + "/" + string(id)
	return d.found(Finding{Kind: "tombstone", Lock: p.lock, Path: path, Evidence: fate.Why,
		What: fmt.Sprintf("the remains of generation %s cannot be removed, because somebody may still act on them", id),
		Safe: true, Ignore: "yes: they hold nothing, and only take space",
		Mend: "when no process that used this lock then runs any more, on any host: rm -r " + quote(path)})
}

func (d *doctor) candidate(p place) error {
	r, err := tree.At(d.ctx, p.lock, protocol.Genlock)
	if err != nil {
		return nil
	}
	defer r.Parent.Close()
	is, err := tomb.IsRootLitter(r, p.name)
	if err == nil && is {
		d.litter.roots++
		d.litter.locks++
		d.litter.size.add(measure(p.dir, p.name))
		return nil
	}
	info, err := p.dir.Lstat(p.name)
	if err == nil && info.ModTime.After(d.env.Clock.Now().Add(skew)) {
		path := p.dir.at(p.name)
		return d.found(Finding{Kind: "clock", Path: path, Evidence: "its time is in the future",
			What: "the rest of a crashed attempt never gets old enough to be removed", Safe: true,
			Ignore: "yes: it holds nothing", Mend: "touch " + quote(path)})
	}
	return nil
}

// names lists the tombstones of a root, and what of its entries may be litter.
func names(r *tree.Root) (tombs []protocol.ID, litter []string, err error) {
	retired, err := r.Retired()
	if err != nil {
		return nil, nil, err
	}
	if retired != nil {
		all, err := retired.Names(0)
		retired.Close()
		if err != nil && !vfs.IsVanished(err) {
			return nil, nil, err
		}
		for _, name := range all {
			if id, ok := protocol.ParseID(name); ok {
				tombs = append(tombs, id)
			}
		}
	}
	all, err := r.Dir.Names(0)
	for _, name := range all {
		_, candidate := protocol.ParseCandidateName(name)
		if _, _, claim := protocol.ParseClaimCandidateName(name); claim || candidate {
			litter = append(litter, name)
		}
	}
	if vfs.IsVanished(err) {
		err = nil
	}
	return tombs, litter, err
}
