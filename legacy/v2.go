package legacy

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// v2 is the dialect of ttsc 0.23 to 0.30: a root L.v2 laid out as ours, without
// observers, nonces and witnesses. Its programs retire by the same rename and
// look at nothing before; they also honour a directory L, which is for the
// dialect mkdir to see and to hold.
//
// The fence is the generation: a tombstone keeps late renames from hitting a
// successor, so none is collected while a v2 program may live.
type v2 struct{}

const (
	v2Name   = "v2"
	v2Suffix = ".v2"
	v2Marker = "ttsc-plugin-build-lock-v2\n"
)

func newV2(rule string) (Dialect, error) { return v2{}, noRule(v2Name, rule) }

func (v2) Name() string { return v2Name }

// openV2 opens the root L.v2 in the form that the code for our own root takes; nil
// when there is none. What is no v2 root is never touched: its own programs do
// not take part in it either.
func openV2(ctx context.Context, at Place) (*tree.Root, error) {
	e := env.From(ctx)
	base := filepath.Base(at.Lock) + v2Suffix
	r := &tree.Root{Env: e, Lock: at.Lock, Base: base, Path: at.Lock + v2Suffix}
	var err error
	if r.Parent, err = e.FS.OpenParent(filepath.Dir(at.Lock)); err != nil {
		return nil, missingIsFine(err)
	}
	if r.Dir, err = r.Parent.OpenDir(base); err != nil {
		err = unsafeAt(r.Parent, base, "a directory", missingIsFine(err))
		r.Parent.Close()
		return nil, err
	}
	if err = readV2Root(r); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func readV2Root(r *tree.Root) (err error) {
	if r.Info, err = r.Dir.Stat(); err != nil {
		return err
	}
	if r.Kind, err = r.Dir.Kind(); err != nil {
		return err
	}
	marker, err := readFile(r.Dir, v2MarkerName)
	if err == nil && string(marker) != v2Marker {
		err = fmt.Errorf("%s: there is no marker %s in it, so it is %w; nothing was changed",
			r.Path, v2MarkerName, protocol.ErrNotRoot)
	}
	return err
}

// seen is the held v2 generation as one look found it, its directory open.
type seen struct {
	id    protocol.ID
	said  protocol.ID // which generation its record names
	dir   vfs.Dir
	info  vfs.Info
	sight *Sight
}

func (v2) See(ctx context.Context, at Place) (*Sight, error) {
	r, err := openV2(ctx, at)
	if r == nil || err != nil {
		return nil, err
	}
	defer r.Close()
	now, err := seeV2(ctx, at, r)
	if now == nil || err != nil {
		return nil, err
	}
	now.dir.Close()
	return now.sight, nil
}

// seeV2 looks until what was read is still current afterwards; nil when nobody, or
// the caller, holds it.
func seeV2(ctx context.Context, at Place, r *tree.Root) (*seen, error) {
	for range lookAgain {
		dir, err := r.Dir.OpenDir(protocol.CurrentName)
		if err != nil {
			return nil, unsafeAt(r.Dir, protocol.CurrentName, "a directory", missingIsFine(err))
		}
		now := &seen{dir: dir}
		err = now.read(ctx, at, r)
		same, serr := r.IsCurrent(now.info.ID())
		if err == nil && serr == nil && same && now.sight != nil {
			return now, nil
		}
		dir.Close()
		if serr != nil || same && !absent(err) { // see look
			return nil, errors.Join(err, serr)
		}
	}
	return nil, tree.ErrRestless
}

// read fills in now; no sight means that nobody holds it, or the caller does.
func (now *seen) read(ctx context.Context, at Place, r *tree.Root) (err error) {
	if now.info, err = now.dir.Stat(); err != nil {
		return err
	}
	id, problem, err := tree.ReadID(now.dir)
	if err != nil {
		return err
	}
	if id == "" {
		names, err := now.dir.Names(1)
		if err != nil || len(names) == 0 {
			return err // an empty current holds nothing: a rename replaces it
		}
	}
	if id != "" && id == at.Mine {
		return nil
	}
	rec, recProblem, err := readRecord(now.dir, recordName)
	if err != nil {
		return err
	}
	now.id = id
	if rec != nil {
		now.said = rec.Generation
	}
	sight := (&Sight{Dialect: v2Name, Path: filepath.Join(r.Path, protocol.CurrentName), Sure: true}).tell(rec)
	sight.Generation = id
	v := verdict{answer: judge.Undecidable, why: problem}
	switch {
	case problem != "":
	case rec == nil && recProblem == "":
		v, err = recordless(r, id)
	case rec == nil:
		v.why = recProblem
	default:
		v, err = weigh(ctx, at, rec.party(now.dir, now.info.ModTime, r.Kind))
	}
	now.sight = sight.give(v)
	return err
}

// recordless judges a generation without a record: one whose tombstone stands in for it
// is being emptied, or was, by somebody who died doing so.
func recordless(r *tree.Root, id protocol.ID) (verdict, error) {
	retired, err := r.Retired()
	if err != nil {
		return verdict{}, err
	}
	if retired != nil {
		defer retired.Close()
		if standsIn(retired, id) {
			return verdict{answer: judge.Finished, why: evidence.SaidEmptied}, nil
		}
	}
	return verdict{why: "it has no record, and its age proves nothing"}, nil
}

func (v2) Reclaim(ctx context.Context, at Place) (string, error) {
	r, err := openV2(ctx, at)
	if err != nil {
		return "", err
	}
	if r == nil {
		return "", ErrMoved
	}
	defer r.Close()
	now, err := seeV2(ctx, at, r)
	if err != nil {
		return "", err
	}
	if now == nil {
		return "", ErrMoved
	}
	defer now.dir.Close()
	if err := at.permits(now.sight, nil); err != nil {
		return "", err
	}
	id, err := now.fence(r.Env)
	if err != nil {
		return "", err
	}
	err = persist(r.Env, renameBudget, r.Dir, func() error { return retireV2(r, id, now.dir, now.info) })
	if errors.Is(err, tomb.ErrFenced) {
		return "", fmt.Errorf("%s: generation %s was retired before and is held again: %w", r.Path, id, err)
	}
	return now.sight.Why, err
}

// fence is the name of its tombstone. A generation that names no id, which nobody but an
// operator takes away, has the one of its record; without any it gets a fresh one, which
// keeps what lies there and fences nobody.
func (now *seen) fence(e *env.Env) (protocol.ID, error) {
	switch {
	case now.id != "":
		return now.id, nil
	case now.said != "":
		return now.said, nil
	}
	return e.NewID()
}

// retireV2 renames current onto its tombstone, in the way and with the checks of
// our own retirement.
func retireV2(r *tree.Root, id protocol.ID, dir vfs.Dir, info vfs.Info) error {
	err := tomb.Move(r, id, info.ID())
	var displaced *tomb.DisplacedError
	switch {
	case vfs.IsCrossDevice(err), errors.Is(err, tomb.ErrFenced):
		return retireV2InPlace(r, id, dir, info)
	case errors.As(err, &displaced):
		return &DisplacedError{Lock: r.Lock, NowLiesAt: displaced.NowLiesAt}
	case errors.Is(err, tomb.ErrNotCurrent):
		return ErrMoved
	}
	return err
}
