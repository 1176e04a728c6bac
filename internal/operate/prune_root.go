package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// ErrForeignClients: a root in a format that other programs speak is not removed.
// They rename by path with old fences, at any time, and a new root would not
// have the tombstones at which that fails.
var ErrForeignClients = errors.New("other programs use this format, so the lock's directory stays")

// PruneRoot is Prune for the root of one lock, found by its path and not by a walk.
func PruneRoot(ctx context.Context, lock string, opt PruneOptions) (Pruned, error) {
	p := &pruner{ctx: ctx, env: env.From(ctx), opt: opt}
	d, err := openDirectory(filepath.Dir(lock), p.env.FS)
	if err != nil {
		return p.done, err
	}
	defer d.Close()
	base := filepath.Base(lock)
	err = (&walker{ctx, p.env.FS, p}).rootAt(d, protocol.RootName(base), base)
	return p.done, err
}

// idleRoot removes the root of a lock that nobody uses. Tombstones and litter that
// had to stay mean that somebody does.
func (p *pruner) idleRoot(at place, root *fence.Root) error {
	r := seal.Open(root)
	if r.Format.Foreign() {
		return p.problem(at.lock, fmt.Errorf("lock %s: %w", at.lock, ErrForeignClients))
	}
	seen, err := observer.Look(p.ctx, at.lock, at.format)
	if err != nil || seen.State != observer.Free && !p.wouldBeFree(seen) {
		return p.problem(at.lock, err)
	}
	if p.opt.DryRun {
		if !p.empty(r, true) {
			p.done.Kept++
			return nil
		}
		s := measure(r.Parent, at.name)
		s.add(size{-p.counted.names, -p.counted.bytes}) // what would be gone by then
		return p.removed("root", at.lock, r.Path, s)
	}
	if mutant.On(mutant.RootUnheld) {
		moved, err := tomb.MoveRoot(r)
		return p.problem(at.lock, errors.Join(err, vfs.RemoveAll(r.Parent, moved, nil)))
	}
	// No wait: whoever holds it, or takes it now, keeps it.
	tenure, err := generation.Publish(p.ctx, root, generation.Intent{About: &protocol.About{Label: "genlock prune --roots"}})
	if errors.Is(err, generation.ErrHeld) || errors.Is(err, generation.ErrRootMoved) {
		p.done.Kept++
		return nil
	}
	if err != nil {
		return p.problem(at.lock, err)
	}
	return p.removeRoot(at, r, tenure)
}

// wouldBeFree tells in a dry run whether the lock would be free by now.
func (p *pruner) wouldBeFree(seen *observer.Observation) bool {
	return p.opt.DryRun && p.retired != "" && seen.Generation == p.retired
}

// removeRoot moves the root away while holding its lock, so that no holder can be
// in it, and deletes it afterwards. Whoever waits for us in the moved root finds
// that the path leads elsewhere, and makes a new one.
func (p *pruner) removeRoot(at place, r *tree.Root, tenure *generation.Tenure) error {
	moved, err := "", tenure.Check()
	if err == nil {
		if !p.empty(r, false) {
			p.done.Kept++
			return p.problem(at.lock, tenure.Release())
		}
		moved, err = tomb.MoveRoot(r)
	}
	rerr := tenure.Release()
	if errors.Is(rerr, generation.ErrLost) {
		rerr = nil // an operator broke our tenure; if the root was moved, it goes all the same
	}
	if err != nil || moved == "" {
		if errors.Is(err, generation.ErrLost) || errors.Is(err, tomb.ErrNotRoot) {
			p.done.Kept++
			err = nil
		}
		return p.problem(at.lock, errors.Join(err, rerr))
	}
	s := measure(r.Parent, moved)
	if err := vfs.RemoveAll(r.Parent, moved, nil); err != nil {
		return p.problem(at.lock, err)
	}
	return p.removed("root", at.lock, r.Path, s)
}

// empty tells whether nothing lies in a root at which somebody's rename may have to
// fail, and nobody is about to take the lock. What a dry run would have removed
// does not count.
func (p *pruner) empty(r *tree.Root, dry bool) bool {
	ids, litter, err := names(r)
	if err != nil {
		return false
	}
	for _, id := range ids {
		fate, err := tomb.FateOf(r, id)
		if !dry || err != nil || !(fate.Goes || fate.Gone) {
			return false
		}
	}
	for _, name := range litter {
		is, err := tomb.IsLitter(r, name)
		if !dry || err != nil || !is {
			return false
		}
	}
	_, err = r.Env.FS.Lstat(r.Lock)
	return errors.Is(err, fs.ErrNotExist) && p.ctx.Err() == nil
}
