package tomb

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// IsRootLitter tells whether name, a root candidate beside the root of r (whose
// parent alone needs to be open), is the rest of something crashed.
//
// A root in flight holds nothing and has no witness, so it goes by age. One in
// which a generation lies was moved away in order to be removed: it never returns,
// and its remover is that generation's holder, whose evidence is at hand.
func IsRootLitter(r *tree.Root, name string) (bool, error) {
	if _, _, ok := protocol.ParseRootCandidateName(name); !ok {
		return false, nil
	}
	dir, err := r.Parent.OpenDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer dir.Close()
	info, err := dir.Stat()
	if err != nil {
		return false, err
	}
	moved := *r
	moved.Dir, moved.Info, moved.Path = dir, info, r.Parent.Path()+"/"+name
	if moved.Kind, err = dir.Kind(); err != nil {
		return false, err
	}
	g, err := moved.Current()
	if err != nil {
		return false, err
	}
	if g == nil {
		return r.Env.Clock.Now().Sub(info.ModTime) > LitterAge, nil
	}
	defer g.Close()
	if g.Empty || g.Debris {
		return r.Env.Clock.Now().Sub(info.ModTime) > LitterAge, nil
	}
	v, err := judge.Holder(&moved, g)
	return err == nil && v.Reclaimable(), err
}

// RootLitter removes the root candidate name if it is litter: renamed aside first,
// so that a maker who lives after all finds its name gone, and starts again.
// It reports whether name is gone.
func RootLitter(r *tree.Root, name string) (bool, error) {
	litter, err := IsRootLitter(r, name)
	if err != nil || !litter {
		return false, err
	}
	fresh, err := rootAside(r, name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // its maker, or another collector, was faster
	}
	if err != nil {
		return false, err
	}
	err = vfs.RemoveAll(r.Parent, fresh, nil)
	return err == nil, err
}

// ErrNotRoot: the path does not lead to the root that was opened, so that another
// one was found in its place.
var ErrNotRoot = errors.New("the lock's directory was replaced meanwhile")

// MoveRoot moves the whole root of r away, in order to be removed, and returns the
// name under which it lies beside its place. The caller holds the lock, and the
// moved root never returns: whoever has it open finds that its path leads
// elsewhere, and starts anew (rule 8).
func MoveRoot(r *tree.Root) (name string, err error) {
	intact, err := r.Intact()
	if err == nil && !intact {
		err = ErrNotRoot
	}
	if err != nil {
		return "", err
	}
	place := protocol.RootName(r.Base)
	name, err = rootAside(r, place)
	if err != nil {
		return "", err
	}
	moved, err := r.Parent.Lstat(name)
	if err == nil && moved.ID() == r.Info.ID() {
		return name, nil
	}
	// Somebody put another root there between our look and our rename: a
	// stranger to us, which goes back unless its place is taken.
	return "", errors.Join(ErrNotRoot, err, r.Parent.Rename(name, r.Parent, place, vfs.NoReplace))
}

func rootAside(r *tree.Root, name string) (fresh string, err error) {
	id, err := r.Env.NewID()
	if err != nil {
		return "", err
	}
	fresh = protocol.RootCandidateName(r.Base, id)
	err = r.Parent.Rename(name, r.Parent, fresh, vfs.NoReplace)
	if vfs.IsUnsupported(err) {
		err = r.Parent.Rename(name, r.Parent, fresh, vfs.Plain) // nobody else knows the fresh name
	}
	if err != nil {
		if _, lerr := r.Parent.Lstat(fresh); lerr == nil {
			err = nil // it happened all the same (rule 10)
		}
	}
	return fresh, err
}
