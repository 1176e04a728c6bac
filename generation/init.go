package generation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// OpenOrInit opens the coordination root of the lock at path (absolute), and
// makes it when there is none. The parent directory has to exist. What stands
// in the root's place and is no root of format is an error and stays as it is.
func OpenOrInit(ctx context.Context, path string, format protocol.Format) (*fence.Root, error) {
	const tries = 10 // each failure means that somebody else made or pruned one
	var why error
	for range tries {
		root, err := fence.Open(ctx, path, format)
		if !errors.Is(err, fence.ErrNoRoot) {
			return root, err
		}
		why, err = initRoot(ctx, path, format)
		if err != nil {
			return nil, err
		}
	}
	return nil, errors.Join(fmt.Errorf("lock %s: %w", path, fence.ErrNoRoot), why)
}

// initRoot prepares a complete root beside the place and renames it there. A
// crash leaves a root candidate; it holds nothing and is collected. taken says why
// the name was taken: then somebody else's root serves us as well.
func initRoot(ctx context.Context, path string, format protocol.Format) (taken, err error) {
	r, err := tree.At(ctx, path, format)
	if err != nil {
		return nil, err
	}
	defer r.Parent.Close()
	id, err := r.Env.NewID()
	if err != nil {
		return nil, err
	}
	name := protocol.RootCandidateName(r.Base, id)
	err = fillRoot(r, name)
	if err == nil {
		err = publishRoot(r, name)
	}
	if err == nil {
		return nil, nil
	}
	vfs.RemoveAll(r.Parent, name, nil)
	err = fmt.Errorf("lock %s: cannot create its directory: %w", path, err)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		// Somebody was faster, or took the candidate for litter: again (rule 8).
		return err, nil
	}
	return nil, err
}

func fillRoot(r *tree.Root, name string) error {
	if err := r.Parent.Mkdir(name, 0o777); err != nil {
		return err
	}
	dir, err := r.Parent.OpenDir(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	mode, err := shareWithGroup(r, dir)
	if err != nil {
		return err
	}
	if err := dir.Mkdir(protocol.RetiredName, mode); err != nil {
		return err
	}
	if err := vfs.WriteFile(dir, protocol.QueueName, nil, mode&0o666); err != nil {
		return err
	}
	if err := writeMarker(dir, r.Format, mode); err != nil {
		return err
	}
	return widen(dir, mode)
}

// writeMarker makes the marker durable before the root can be found. It is the only
// file that a power cut must not leave empty: then the root would be nobody's, for
// ever. It costs a moment, once for each lock.
func writeMarker(dir vfs.Dir, format protocol.Format, mode fs.FileMode) error {
	if err := vfs.WriteFile(dir, protocol.MarkerName, format.Marker(), mode&0o666); err != nil {
		return err
	}
	f, err := dir.Open(protocol.MarkerName, vfs.ReadWrite, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	if vfs.IsUnsupported(err) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// shareWithGroup gives the root the group's bits of its parent when the parent is
// marked as shared by its setgid bit: retiring somebody's generation needs write
// permission, whatever the umask of whoever came first (rule 13).
func shareWithGroup(r *tree.Root, dir vfs.Dir) (fs.FileMode, error) {
	own, err := dir.Stat()
	if err != nil {
		return 0, err
	}
	parent, err := r.Parent.Stat()
	if err != nil {
		return 0, err
	}
	mode := own.Mode.Perm()
	if parent.Mode&fs.ModeSetgid == 0 || mode|parent.Mode.Perm()&0o070 == mode {
		return mode, nil
	}
	mode |= parent.Mode.Perm() & 0o070
	return mode, dir.Chmod(mode | own.Mode&fs.ModeSetgid)
}

// widen undoes what the umask took from the root's children.
func widen(dir vfs.Dir, mode fs.FileMode) error {
	retired, err := dir.OpenDir(protocol.RetiredName)
	if err != nil {
		return err
	}
	defer retired.Close()
	info, err := retired.Stat()
	if err != nil || info.Mode.Perm() == mode {
		return err
	}
	if err := retired.Chmod(mode | info.Mode&fs.ModeSetgid); err != nil {
		return err
	}
	return errors.Join(widenFile(dir, protocol.MarkerName, mode), widenFile(dir, protocol.QueueName, mode))
}

func widenFile(dir vfs.Dir, name string, mode fs.FileMode) error {
	f, err := dir.Open(name, vfs.ReadWrite, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Chmod(mode & 0o666)
}

// MakeQueue makes the file on which waiters line up, where another program made
// the root or somebody deleted it. It is for whoever holds the lock: waiting
// writes nothing (rules 4 and 16). A queue that cannot be made is no failure;
// waiters then poll.
func MakeQueue(root *fence.Root) {
	r := seal.Open(root)
	if vfs.WriteFile(r.Dir, protocol.QueueName, nil, r.FileMode()) == nil {
		widenFile(r.Dir, protocol.QueueName, r.FileMode())
	}
}

// publishRoot never replaces: a plain rename would replace an empty directory
// that somebody else put there.
func publishRoot(r *tree.Root, name string) error {
	place := protocol.RootName(r.Base)
	err := r.Parent.Rename(name, r.Parent, place, vfs.NoReplace)
	if !vfs.IsUnsupported(err) {
		return err
	}
	if _, lerr := r.Parent.Lstat(place); lerr == nil {
		return fs.ErrExist
	}
	return r.Parent.Rename(name, r.Parent, place, vfs.Plain)
}
