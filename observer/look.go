package observer

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Look looks at the lock at path (absolute) and tells everything about it. What
// cannot be looked at is an Observation too, and the error says why: a foreign
// marker, a link in the way, no permission. Nothing is created or changed.
func Look(ctx context.Context, path string, format protocol.Format) (*Observation, error) {
	o := &Observation{Schema: protocol.Schema, Lock: path, Format: format, State: Free}
	err := o.look(ctx)
	if err != nil {
		o.State, o.Evidence = stateOf(err), err.Error()
	}
	o.Next = o.advice()
	return o, err
}

func (o *Observation) look(ctx context.Context) error {
	var root *fence.Root
	err := vfs.Again(func() (err error) {
		root, err = fence.Open(ctx, o.Lock, o.Format)
		return err
	})
	if errors.Is(err, fence.ErrNoRoot) || errors.Is(err, fs.ErrNotExist) {
		// Without a root, or even without the directory for it, nobody can
		// hold the lock in our way. The path may be mistyped.
		o.Evidence = "there is no lock here yet"
		if !errors.Is(err, fence.ErrNoRoot) {
			o.Evidence = "there is no such directory: " + filepath.Dir(o.Lock)
		}
		return o.lookOld(ctx)
	}
	if err != nil {
		return err
	}
	defer root.Close()
	r := seal.Open(root)
	if err := o.see(r); err != nil {
		return err
	}
	if err := o.count(r); err != nil {
		return err
	}
	o.Last = r.Last()
	return o.lookOld(ctx)
}

// At is the short look of somebody who waits: only the held generation and the
// verdict about it, through a root that is already open.
func At(ctx context.Context, root *fence.Root) (*Observation, error) {
	r := seal.Open(root)
	o := &Observation{Schema: protocol.Schema, Lock: r.Lock, Format: r.Format, State: Free}
	if err := o.see(r); err != nil {
		return nil, err
	}
	o.Next = o.advice()
	return o, nil
}

func (o *Observation) see(r *tree.Root) error {
	g, v, err := judge.Current(r)
	if err != nil || g == nil {
		return err
	}
	defer g.Close()
	if g.Empty || g.Debris {
		return nil // holds nothing (rules 1 and 10)
	}
	o.Generation = g.ID
	o.Holder = holderOf(g, v, r.Env)
	verdict := v.Answer.String()
	o.Verdict, o.Evidence = &verdict, v.Why
	if g.Record == nil && g.Problem != "" {
		o.Evidence += " (" + g.Problem + ")"
	}
	o.State = heldState(g, v)
	switch {
	case v.Guards.Quarantine != "":
		o.Evidence = v.Guards.Quarantine
	case v.Guards.Pending && v.Spent():
		o.Evidence += ", but a guard says that a command of it may still run"
	}
	names, err := g.ClaimNames()
	o.Claims = len(names)
	return err
}

func heldState(g *tree.Generation, v judge.Verdict) State {
	switch {
	case v.Guards.Quarantine != "":
		return Quarantined
	case v.Answer == judge.Alive || v.Guards.Pending:
		return Held
	case v.Reclaimable():
		return Abandoned
	case g.Problem != "" && g.Witness == nil:
		return Damaged
	}
	return Undecidable
}

func holderOf(g *tree.Generation, v judge.Verdict, e *env.Env) *Holder {
	rec := g.Record
	if rec == nil {
		return nil
	}
	h := &Holder{PID: rec.PID, Hostname: rec.Hostname, StartedAt: rec.StartedAt,
		Stopped: v.Stopped, ChildOnly: v.ChildOnly}
	h.Started, _ = rec.Started()
	if a := rec.About; a != nil {
		h.Label, h.Argv, h.CWD, h.User = a.Label, a.Argv, a.CWD, a.User
	}
	if p := rec.Process; p != nil {
		h.PIDNamespace, h.BootID, h.Witness = string(p.PIDNS), p.Boot, p.Witness
		self := e.Machine.Self().Instance
		h.Self = self != "" && p.Instance == self
	}
	return h
}

// count counts the tombstones. It lists them: never on the hot path.
func (o *Observation) count(r *tree.Root) error {
	retired, err := r.Retired()
	if err != nil || retired == nil {
		return err
	}
	defer retired.Close()
	names, err := retired.Names(0)
	o.Tombstones = len(names)
	return err
}

// lookOld looks for the lock of an older protocol at L itself.
func (o *Observation) lookOld(ctx context.Context) error {
	old, err := OldLockAt(ctx, o.Lock)
	if err != nil || old == nil {
		return err
	}
	o.Old = old
	if o.State == Free {
		o.State, o.Evidence = Undecidable, old.Why
		verdict := judge.Undecidable.String()
		o.Verdict = &verdict
	}
	return nil
}

// OldLockAt looks for a lock of an older protocol at the lock's own path; nil when
// there is none. A directory there belongs to its holder and is never touched.
// A link or another file type is an error.
func OldLockAt(ctx context.Context, path string) (*OldLock, error) {
	var info vfs.Info
	err := vfs.Again(func() (err error) {
		info, err = env.From(ctx).FS.Lstat(path)
		return err
	})
	switch {
	case vfs.IsVanished(err):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, &protocol.UnsafeError{Path: path, Mode: info.Mode, Want: "the directory of an old lock"}
	}
	return &OldLock{Dialect: "mkdir", State: string(Held), Path: path,
		Why: "an older tool holds " + path + " (a lock directory); whether it lives cannot be told from it"}, nil
}

func stateOf(err error) State {
	switch {
	case errors.Is(err, protocol.ErrTooNew):
		return TooNew
	case errors.Is(err, protocol.ErrFormat), errors.Is(err, protocol.ErrNotRoot):
		return Foreign
	case errors.Is(err, protocol.ErrUnsafePath):
		return Unsafe
	case errors.Is(err, fs.ErrNotExist):
		return Free
	}
	return Unreadable
}
