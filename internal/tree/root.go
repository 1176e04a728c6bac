// Package tree reads: it opens a coordination root and classifies what stands in
// it. Nothing here writes (rule 4).
package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// ErrNoRoot: the lock has no coordination root yet, so nobody holds it.
var ErrNoRoot = errors.New("no lock here yet")

// Root is an open coordination root. Its handle keeps meaning this root when
// somebody moves it away or deletes it; Intact tells.
type Root struct {
	Env    *env.Env
	Format protocol.Format
	Lock   string // absolute path L
	Base   string // last element of L
	Path   string // L.v3
	Parent vfs.Dir
	Dir    vfs.Dir
	Info   vfs.Info
	Kind   vfs.Kind
	// Kept: an earlier turn left the root open, so that another one may follow soon.
	Kept bool
	// Barren is how often in a row a collection found nothing to collect.
	Barren int
	// Spare is what the last turn left to be recycled, or nil.
	Spare  Spare
	marker vfs.Info // right before it was read
	parent vfs.ID   // of Parent, once somebody asked
}

// Spare is a directory in the root that nobody but whoever has the root open knows of.
type Spare interface{ Discard(*Root) }

// Open opens the root of lock, an absolute path. ErrNoRoot when there is none;
// a missing parent is an error at once, naming it.
func Open(ctx context.Context, lock string, format protocol.Format) (*Root, error) {
	r, err := At(ctx, lock, format)
	if err != nil {
		return nil, err
	}
	for range lookAgain {
		if err = r.open(); err != errRootMoved {
			break
		}
	}
	if err != nil {
		r.Parent.Close()
		return nil, err
	}
	return r, nil
}

// errRootMoved: what was opened is not the lock's root any more. A root that is
// being removed looks like any rubbish from inside, so nothing is concluded from it.
var errRootMoved = errors.New("the lock's directory was moved away while it was opened")

// At prepares a Root of which only the parent is open: what creating the root
// starts from.
func At(ctx context.Context, lock string, format protocol.Format) (*Root, error) {
	e := env.From(ctx)
	parent, err := e.FS.OpenParent(filepath.Dir(lock))
	if err != nil {
		return nil, fmt.Errorf("lock %s: the directory of the lock cannot be opened: %w", lock, err)
	}
	base := filepath.Base(lock)
	return &Root{Env: e, Format: format, Lock: lock, Base: base,
		Path: lock + protocol.RootSuffix, Parent: parent}, nil
}

func (r *Root) open() (err error) {
	name := protocol.RootName(r.Base)
	r.Dir, err = r.Parent.OpenDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoRoot
	}
	if err != nil {
		return UnsafeDir(r.Parent, name, err)
	}
	if err = r.inspect(); err == nil {
		return nil
	}
	if intact, ierr := r.Intact(); ierr == nil && !intact && r.Info.Ino != 0 {
		err = errRootMoved
	}
	r.Dir.Close()
	return err
}

func (r *Root) inspect() (err error) {
	if r.Info, err = r.Dir.Stat(); err != nil {
		return err
	}
	if err = r.checkMarker(); err != nil {
		return err
	}
	if err = r.checkChildren(); err != nil {
		return err
	}
	r.Kind, err = r.Dir.Kind()
	return err
}

// checkChildren refuses a root in which something odd stands where tombstones or
// the queue belong: found only at the release, it could not be released.
func (r *Root) checkChildren() error {
	info, err := r.Dir.Lstat(protocol.RetiredName)
	if err == nil && !info.IsDir() {
		return &protocol.UnsafeError{Path: filepath.Join(r.Path, protocol.RetiredName), Mode: info.Mode, Want: "a directory"}
	}
	info, qerr := r.Dir.Lstat(protocol.QueueName)
	if qerr == nil && !info.IsRegular() {
		return &protocol.UnsafeError{Path: filepath.Join(r.Path, protocol.QueueName), Mode: info.Mode, Want: "a regular file"}
	}
	for _, err := range []error{err, qerr} {
		if err != nil && !vfs.IsVanished(err) {
			return err
		}
	}
	return nil
}

func (r *Root) checkMarker() error {
	path := filepath.Join(r.Path, protocol.MarkerName)
	data, info, err := vfs.ReadInfo(r.Dir, protocol.MarkerName, 4096)
	r.marker = info
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no %s in it, so it is %w; nothing was changed",
			r.Path, protocol.MarkerName, protocol.ErrNotRoot)
	}
	if err != nil {
		return unsafeFile(r.Dir, protocol.MarkerName, err)
	}
	err = protocol.CheckMarker(data, r.Format)
	var format *protocol.FormatError
	if errors.As(err, &format) {
		format.Path = path
	}
	return err
}

// Intact tells whether the path of the root still leads to the root that was
// opened. If not, nothing published through the handle is held (rule 10).
func (r *Root) Intact() (bool, error) {
	var info vfs.Info
	err := vfs.Again(func() (err error) {
		info, err = r.Env.FS.Lstat(r.Path)
		return err
	})
	if vfs.IsVanished(err) || vfs.IsNotDir(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return info.ID() == r.Info.ID(), nil
}

// Fresh tells whether opening the root anew, now, would find what this handle has:
// the path leads to this very directory, with the mode and owners that it had, in which the
// marker is the file that was read, and nothing odd stands in it. Not being able to
// tell is no. As long as the handle is open, no other directory can pass for it.
func (r *Root) Fresh() bool {
	info, err := r.Env.FS.Lstat(r.Path)
	if err != nil || info.ID() != r.Info.ID() || info.Mode != r.Info.Mode ||
		info.UID != r.Info.UID || info.GID != r.Info.GID {
		return false
	}
	marker, err := r.Dir.Lstat(protocol.MarkerName)
	same := err == nil && marker.ID() == r.marker.ID() && marker.Mode == r.marker.Mode &&
		marker.Size == r.marker.Size && marker.ModTime.Equal(r.marker.ModTime)
	return same && r.checkChildren() == nil
}

// ParentID identifies the directory of the lock as long as the root is open.
func (r *Root) ParentID() (vfs.ID, error) {
	if r.parent == (vfs.ID{}) {
		info, err := r.Parent.Stat()
		if err != nil {
			return vfs.ID{}, err
		}
		r.parent = info.ID()
	}
	return r.parent, nil
}

// Keepable tells whether the handle may stay open while nobody uses it: where that
// is in nobody's way, and where a look by path says what is there now.
func (r *Root) Keepable() bool { return r.Kind.Local && !r.Env.Machine.Self().NoOpenFiles }

// DropSpare deletes what was left to be recycled.
func (r *Root) DropSpare() {
	if r.Spare != nil {
		r.Spare.Discard(r)
		r.Spare = nil
	}
}

// Close deletes what was left to be recycled, and closes the handles.
func (r *Root) Close() {
	r.DropSpare()
	r.Dir.Close()
	r.Parent.Close()
}

// DirMode and FileMode are the modes that the root's own mode allows to what is
// made inside it (rule 13).
func (r *Root) DirMode() fs.FileMode  { return r.Info.Mode.Perm() }
func (r *Root) FileMode() fs.FileMode { return r.Info.Mode.Perm() & 0o666 }
