package legacy

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"genlock.dev/genlock/internal/discard"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Hold publishes our v3 generation as a v2 generation of the same name.
func (v2) Hold(ctx context.Context, at Place) (Held, error) {
	r, err := openOrInitV2(ctx, at)
	if err != nil {
		return nil, err
	}
	h, err := publishV2(r, at)
	if err != nil {
		r.Close()
		return nil, err
	}
	return h, nil
}

func openOrInitV2(ctx context.Context, at Place) (*tree.Root, error) {
	const tries = 10 // each failure means that somebody else made or removed one
	for range tries {
		r, err := openV2(ctx, at)
		if r != nil || err != nil {
			return r, err
		}
		if err := initV2(ctx, at); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: %w", at.Lock+v2Suffix, protocol.ErrNotRoot)
}

// initV2 prepares a complete root beside the place and renames it there, as its
// own programs do.
func initV2(ctx context.Context, at Place) error {
	e, base := env.From(ctx), filepath.Base(at.Lock)
	s := &slot{env: e, at: at, base: base + v2Suffix}
	var err error
	if s.parent, err = e.FS.OpenParent(filepath.Dir(at.Lock)); err != nil {
		return err
	}
	defer s.parent.Close()
	name := v2RootCandidate(base, at.Mine)
	err = s.make(name, func(dir vfs.Dir) error {
		if err := vfs.WriteFile(dir, v2MarkerName, []byte(v2Marker), s.info.Mode.Perm()&0o666); err != nil {
			return err
		}
		return dir.Mkdir(protocol.RetiredName, s.info.Mode.Perm())
	})
	if err != nil {
		return err
	}
	defer s.dir.Close()
	err = s.publish(name)
	if vfs.IsUnsupported(err) {
		// As the old programs do it: only an empty directory can be replaced.
		err = s.parent.Rename(name, s.parent, s.base, vfs.Plain)
	}
	if err != nil {
		vfs.RemoveAll(s.parent, name, nil)
	}
	if errors.Is(err, ErrHeld) || vfs.IsNotEmpty(err) {
		return nil // somebody was faster: his root serves us as well
	}
	return err
}

func v2RootCandidate(base string, id protocol.ID) string {
	return base + v2Suffix + "." + protocol.CandidateName(id)
}

func publishV2(r *tree.Root, at Place) (*v2Held, error) {
	s := &slot{env: r.Env, at: at, parent: r.Dir, base: protocol.CurrentName}
	name := protocol.CandidateName(at.Mine)
	err := s.make(name, func(dir vfs.Dir) error {
		if err := vfs.WriteFile(dir, protocol.GenerationName, at.Mine.Line(), s.info.Mode.Perm()&0o666); err != nil {
			return err
		}
		return writeRecord(r.Env, at.Mine)(dir)
	})
	if err != nil {
		discard.Away(r, r.Dir, name, nil)
		return nil, err
	}
	h := &v2Held{root: r, id: at.Mine, dir: s.dir, info: s.info}
	err = r.Dir.Rename(name, r.Dir, protocol.CurrentName, vfs.Plain)
	if err == nil {
		return h, h.landed()
	}
	if happened, lerr := r.IsCurrent(s.info.ID()); lerr == nil && happened {
		return h, h.landed() // although it reported failure (rule 10)
	}
	s.dir.Close()
	discard.Away(r, r.Dir, name, nil)
	if _, lerr := r.Dir.Lstat(protocol.CurrentName); lerr == nil || vfs.IsNotEmpty(err) {
		return nil, ErrHeld
	}
	if vfs.IsVanished(err) {
		return nil, ErrMoved
	}
	return nil, err
}

// v2Held is the v2 lock, taken by us.
type v2Held struct {
	mu       sync.Mutex
	root     *tree.Root
	id       protocol.ID
	dir      vfs.Dir
	info     vfs.Info
	released bool
	err      error
}

// landed makes sure that the path still leads to the root in which we published;
// else nothing is held.
func (h *v2Held) landed() error {
	intact, err := h.root.Intact()
	if err == nil && intact {
		return nil
	}
	retireV2(h.root, h.id, h.dir, h.info)
	h.dir.Close()
	if err == nil {
		err = ErrMoved
	}
	return err
}

// Check implements Held. It costs two system calls.
func (h *v2Held) Check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return ErrLost
	}
	held, err := h.root.Intact()
	if err == nil && held {
		held, err = h.root.IsCurrent(h.info.ID())
	}
	if err == nil && !held {
		err = ErrLost
	}
	return err
}

// Refresh implements Held: v2 locks do not age.
func (h *v2Held) Refresh() error { return h.Check() }

// Every implements Held.
func (h *v2Held) Every() time.Duration { return 0 }

// Release implements Held. The tombstone stays, as after the old programs' own
// releases: it is what keeps a late rename with this fence from succeeding.
func (h *v2Held) Release() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return h.err
	}
	h.released = true
	r := h.root
	unclear := false // a rename that reported failure may have happened
	h.err = persist(r.Env, ReleaseBudget, r.Dir, func() error {
		err := retireV2(r, h.id, h.dir, h.info)
		switch {
		case errors.Is(err, ErrMoved) && unclear && h.buried():
			return nil
		case errors.Is(err, ErrMoved), errors.Is(err, tomb.ErrFenced):
			return ErrLost
		}
		unclear = err != nil
		return err
	})
	if h.err != nil && !errors.Is(h.err, ErrLost) {
		// It never stays held by a process that is done with it.
		if err := retireV2InPlace(r, h.id, h.dir, h.info); err == nil {
			h.err = nil
		}
	}
	h.dir.Close()
	r.Close()
	return h.err
}

// buried tells whether our directory lies at its tombstone.
func (h *v2Held) buried() bool {
	g, err := h.root.Tombstone(h.id)
	if g == nil || err != nil {
		return false
	}
	defer g.Close()
	return g.Info.ID() == h.info.ID()
}

// Sweep takes candidates away by renaming, so that a maker that was only stopped
// finds its name gone.
func (v2) Sweep(ctx context.Context, at Place, generation protocol.ID) error {
	r, err := openV2(ctx, at)
	if errors.Is(err, protocol.ErrNotRoot) {
		err = nil
	}
	if r == nil || err != nil {
		return err
	}
	defer r.Close()
	base := filepath.Base(at.Lock)
	err = missingIsFine(discard.Away(r, r.Dir, protocol.CandidateName(generation), nil))
	return errors.Join(err, discardRoot(r.Env, r.Parent, base, v2RootCandidate(base, generation)))
}

func discardRoot(e *env.Env, parent vfs.Dir, base, name string) error {
	id, err := e.NewID()
	if err != nil {
		return err
	}
	fresh := v2RootCandidate(base, id)
	if err := parent.Rename(name, parent, fresh, vfs.Plain); err != nil {
		return missingIsFine(err)
	}
	return vfs.RemoveAll(parent, fresh, nil)
}
