package operate

import (
	"context"
	"errors"
	"io/fs"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// Doctor tells what is wrong with the locks that target names. It changes nothing,
// except that it makes and removes one small directory per file system to try
// whether locks exclude there. looked is the number of locks.
func Doctor(ctx context.Context, t Target, tell func(Finding) error) (looked int, err error) {
	d := &doctor{ctx: ctx, env: env.From(ctx), target: t, tell: tell, devices: make(map[uint64]bool)}
	err = walk(ctx, t, d)
	if err == nil {
		err = d.litter.report(d)
	}
	return d.looked, err
}

type doctor struct {
	ctx     context.Context
	env     *env.Env
	target  Target
	tell    func(Finding) error
	looked  int
	devices map[uint64]bool // on which flock was tried: whether the answer is known
	litter  litterCount
}

// found completes a finding and tells it.
func (d *doctor) found(f Finding) error {
	f.Schema = protocol.Schema
	return d.tell(f)
}

func (d *doctor) root(p place) error {
	d.looked++
	if err := d.tryFlock(p); err != nil {
		return err
	}
	info, err := p.root.Stat()
	if err != nil {
		return nil // gone meanwhile
	}
	if err := d.permissions(p, info); err != nil {
		return err
	}
	if o := idle(p); o != nil && o.Tombstones == 0 {
		if n, ok := subdirectories(info, p.dir.kind); ok && n <= 1 {
			return nil // nothing but retired lies in it, and nothing in that
		}
	}
	return d.whole(p)
}

// whole looks at everything in the root.
func (d *doctor) whole(p place) error {
	o, err := p.look(d.ctx)
	if err != nil {
		return d.refused(p, o, err)
	}
	if err := d.state(p, o); err != nil {
		return err
	}
	if err := d.clock(p, o); err != nil {
		return err
	}
	root, err := fence.Open(d.ctx, p.lock, p.format)
	if err != nil {
		return nil // told above, or gone meanwhile
	}
	defer root.Close()
	return d.leftovers(p, seal.Open(root))
}

func (d *doctor) unusable(p place) error {
	d.looked++
	o, err := p.look(d.ctx)
	if err == nil {
		return nil // it was replaced meanwhile
	}
	return d.refused(p, o, err)
}

// refused is a root that cannot be looked at.
func (d *doctor) refused(p place, o *observer.Observation, err error) error {
	if errors.Is(err, fs.ErrNotExist) || vfs.IsVanished(err) {
		return nil
	}
	f := Finding{Kind: string(o.State), Lock: p.lock, Path: p.dir.at(p.name), Evidence: err.Error()}
	if odd, ok := errors.AsType[*protocol.UnsafeError](err); ok {
		f.Path = odd.Path
	}
	switch o.State {
	case observer.TooNew:
		f.What = "a later version of genlock made this lock; this one leaves it alone"
		f.Ignore, f.Mend = "no: this genlock cannot take the lock", "install the newer genlock"
	case observer.Foreign:
		f.What = "what stands in the place of the lock's directory is no lock of a format that genlock knows"
		f.Ignore, f.Mend = "no: the lock cannot be taken as long as it is there", "ls -la "+quote(f.Path)
	case observer.Unsafe:
		f.What = "a link or an odd file stands where a real directory or file has to be"
		f.Ignore, f.Mend = "no: nobody can take the lock, and it may be an attack", "ls -ld "+quote(f.Path)
	default:
		f.Kind, f.What = string(observer.Unreadable), "the lock cannot be read, so it counts as held by an unknown owner"
		f.Ignore, f.Mend = "no: you cannot take the lock", d.readableAgain(f.Path, p)
	}
	return d.found(f)
}

func (d *doctor) unreadable(path string, err error) error {
	return d.found(Finding{Kind: string(observer.Unreadable), Path: path, Evidence: err.Error(),
		What:   "a directory cannot be read, so nothing is known about the locks in it",
		Ignore: "only if you need no lock in it", Mend: "ls -ld " + quote(path)})
}

func (d *doctor) old(p place) error {
	d.looked++
	o, err := p.look(d.ctx)
	if err != nil || o.Old == nil {
		return nil // gone meanwhile, or told with the directory
	}
	return d.oldLock(p, o)
}

func (d *doctor) oldLock(p place, o *observer.Observation) error {
	if o.Old.Strange {
		return d.found(Finding{Kind: "old-lock", Lock: p.lock, Path: o.Old.Path, Evidence: o.Old.Why,
			What:   "a directory stands at the lock's own path, where older tools put theirs, and keeps everybody from it",
			Ignore: "no: nobody can take the lock; the path that is used for it may be a wrong one",
			Mend:   "look at it: ls -la " + quote(o.Old.Path)})
	}
	return d.found(Finding{Kind: "old-lock", Lock: p.lock, Path: o.Old.Path, Evidence: o.Old.Why,
		What:   "a lock of an older tool (" + o.Old.Dialect + ") stands there; genlock waits for it, and does not touch it unless told to",
		Ignore: "while that tool runs: it removes the lock when it is done",
		Mend:   "if that tool is gone for good: genlock break " + quote(p.lock) + " --old " + o.Old.Dialect})
}
