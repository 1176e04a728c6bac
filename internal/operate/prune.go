package operate

import (
	"context"
	"errors"
	"io/fs"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/eventlog"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// Prune removes what nobody can still act on from every lock that target names:
// it retires generations whose holders are provably gone or finished, and deletes
// tombstones and the litter of crashed attempts. It may run beside anything, other
// prunes included, and never waits for anybody.
func Prune(ctx context.Context, t Target, opt PruneOptions) (Pruned, error) {
	p := &pruner{ctx: ctx, env: env.From(ctx), opt: opt}
	err := walk(ctx, t, p)
	return p.done, err
}

type pruner struct {
	ctx  context.Context
	env  *env.Env
	opt  PruneOptions
	done Pruned
	// Of the root that is being cleaned: what was counted in it, or would be, and the
	// generation that was retired with its size before that, as a dry run finds it.
	counted size
	retired protocol.ID
	was     size
}

func (p *pruner) root(at place) error {
	p.done.Locks++
	p.counted, p.retired, p.was = size{}, "", size{}
	defer func() { p.opt.Progress(p.done) }()
	idle := p.isIdle(at)
	if idle && !p.opt.Roots {
		return nil
	}
	root, err := fence.Open(p.ctx, at.lock, at.format)
	if err != nil {
		return p.problem(at.lock, err)
	}
	defer root.Close()
	if !idle {
		if err := p.inside(root); err != nil {
			return err
		}
	}
	if p.opt.Roots {
		return p.idleRoot(at, root)
	}
	return nil
}

// isIdle tells by few looks that nothing but the root itself is there.
func (p *pruner) isIdle(at place) bool {
	o := idle(at)
	if o == nil || o.Tombstones > 0 {
		return false
	}
	info, err := at.root.Stat()
	if err != nil {
		return false
	}
	n, ok := subdirectories(info, at.dir.kind)
	return ok && n <= 1
}

// inside cleans one root.
func (p *pruner) inside(root *fence.Root) error {
	r := seal.Open(root)
	if err := p.abandoned(root, r); err != nil {
		return err
	}
	ids, litter, err := names(r)
	if err != nil {
		return p.problem(r.Path, err)
	}
	for _, id := range ids {
		if err := p.tombstone(root, r, id); err != nil {
			return err
		}
	}
	for _, name := range litter {
		if err := p.litter(r, name); err != nil {
			return err
		}
	}
	return nil
}

// abandoned retires a generation whose holder is spent, as the next one who wants
// the lock would. Its tombstone goes with the others.
func (p *pruner) abandoned(root *fence.Root, r *tree.Root) error {
	seen, err := observer.At(p.ctx, root)
	if err != nil || seen.State != observer.Abandoned {
		return p.problem(r.Lock, err)
	}
	was := measure(r.Dir, protocol.CurrentName)
	if p.opt.DryRun {
		p.retired = seen.Generation
		return p.removed("abandoned", r.Lock, r.Path+"/"+protocol.CurrentName, was)
	}
	f, err := fence.Claim(p.ctx, root, seen.Generation)
	if errors.Is(err, fence.ErrMoved) {
		return nil
	}
	if err != nil {
		return p.problem(r.Lock, err)
	}
	evidence, err := retire.Reclaim(p.ctx, f)
	if err == nil {
		p.retired, p.was = seen.Generation, was
		WriteLog(p.ctx, p.opt.Log, "genlock prune", eventlog.Entry{Event: "reclaimed", Lock: r.Lock, Generation: seen.Generation,
			State: string(seen.State), Evidence: evidence})
	}
	if _, alive := errors.AsType[*retire.AliveError](err); alive || errors.Is(err, fence.ErrMoved) {
		err = nil // it was not what it looked like, or somebody was faster
	}
	return p.problem(r.Lock, errors.Join(err, f.Withdraw()))
}

func (p *pruner) tombstone(root *fence.Root, r *tree.Root, id protocol.ID) error {
	path := r.Path + "/" + protocol.RetiredName + "/" + string(id)
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	s := below(r.Dir, protocol.RetiredName, string(id))
	if id == p.retired && s.names > 0 {
		s = p.was // without the place for our claim
	}
	gone, err := false, error(nil)
	if p.opt.DryRun {
		var fate tomb.Fate
		fate, err = tomb.FateOf(r, id)
		gone = fate.Goes
	} else {
		gone, err = retire.Bury(p.ctx, root, id)
	}
	return p.settle("tombstone", r.Lock, path, s, gone, err)
}

func (p *pruner) litter(r *tree.Root, name string) error {
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	s := measure(r.Dir, name)
	act := tomb.Litter
	if p.opt.DryRun {
		act = tomb.IsLitter
	}
	gone, err := act(r, name)
	return p.settle("candidate", r.Lock, r.Path+"/"+name, s, gone, err)
}

// candidate is a root in flight, or on its way out.
func (p *pruner) candidate(at place) error {
	r, err := tree.At(p.ctx, at.lock, protocol.Genlock)
	if err != nil {
		return p.problem(at.lock, err)
	}
	defer r.Parent.Close()
	s := measure(at.dir, at.name)
	act := tomb.RootLitter
	if p.opt.DryRun {
		act = tomb.IsRootLitter
	}
	gone, err := act(r, at.name)
	return p.settle("root-candidate", at.lock, at.dir.at(at.name), s, gone, err)
}

// settle counts what became of one thing. What was gone before is no removal, and
// nothing that was kept: a listing can still name it.
func (p *pruner) settle(kind, lock, path string, s size, gone bool, err error) error {
	switch {
	case err != nil:
		return p.problem(path, err)
	case s.names == 0:
	case gone:
		return p.removed(kind, lock, path, s)
	default:
		p.done.Kept++
	}
	return nil
}

func (p *pruner) removed(kind, lock, path string, s size) error {
	p.done.Removed++
	p.counted.add(s)
	p.done.Names += s.names
	p.done.Bytes += s.bytes
	return p.opt.Removed(Removal{Schema: protocol.Schema, Kind: kind, Lock: lock, Path: path,
		Names: s.names, Bytes: s.bytes, DryRun: p.opt.DryRun})
}

// problem tells what went wrong with one lock, and lets the rest go on. What is
// gone was somebody else's to remove.
func (p *pruner) problem(path string, err error) error {
	if err == nil || errors.Is(err, fence.ErrNoRoot) || vfs.IsVanished(err) {
		return nil
	}
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	p.opt.Problem(path, err)
	return nil
}

func (p *pruner) unreadable(path string, err error) error { return p.problem(path, err) }

// unusable roots stay as they are. Those of another format, or of a later version, are
// no concern of this one; why the others cannot be used is told.
func (p *pruner) unusable(at place) error {
	_, err := observer.Look(p.ctx, at.lock, at.format)
	if err == nil && !vfs.IsVanished(at.err) {
		return p.problem(at.lock, at.err) // it passed, but nothing was pruned
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, protocol.ErrUnsafePath) {
		return p.problem(at.lock, err)
	}
	return nil
}

func (p *pruner) old(place) error { return nil }
