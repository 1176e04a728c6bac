package tomb

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/discard"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// standIn publishes a tombstone with the same generation, record and claims. Only
// one can: whoever comes later is fenced. Our own claim is not among them: we
// act through the handle of g alone, which can hit no successor.
func standIn(token *tree.Fenced) error {
	r, g := token.Root, token.Generation
	id, err := r.Env.NewID()
	if err != nil {
		return err
	}
	name := protocol.CandidateName(id)
	if err := r.Dir.Mkdir(name, r.DirMode()); err != nil {
		return err
	}
	err = fillStandIn(token, name)
	if err == nil {
		err = publishStandIn(r, g, name)
	}
	if err != nil {
		discard.Away(r, r.Dir, name, nil)
	}
	return err
}

func fillStandIn(token *tree.Fenced, name string) error {
	r, g := token.Root, token.Generation
	dir, err := r.Dir.OpenDir(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := vfs.WriteFile(dir, protocol.GenerationName, g.ID.Line(), r.FileMode()); err != nil {
		return err
	}
	for _, file := range []string{protocol.RecordName, protocol.CompletionName} {
		if err := copyFile(r, g.Dir, dir, file); err != nil {
			return err
		}
	}
	return copyClaims(token, dir)
}

func publishStandIn(r *tree.Root, g *tree.Generation, name string) error {
	retired, err := openRetired(r)
	if err != nil {
		return err
	}
	defer retired.Close()
	ours, err := r.Dir.Lstat(name)
	if err != nil {
		return err
	}
	err = r.Dir.Rename(name, retired, string(g.ID), vfs.Plain)
	if err == nil {
		return nil
	}
	if there, lerr := lookFor(retired, g.ID); lerr == nil && there.ID() == ours.ID() {
		return nil // although it reported failure (rule 10)
	}
	if vfs.IsNotEmpty(err) {
		return ErrFenced
	}
	return err
}

// copyClaims keeps the tombstone for everybody who has a claim. Witnesses stay
// where they are locked; a claim without one is judged by its record.
func copyClaims(token *tree.Fenced, to vfs.Dir) error {
	r := token.Root
	observers, err := token.Generation.Dir.OpenDir(protocol.ObserversName)
	if vfs.IsVanished(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer observers.Close()
	names, err := observers.Names(0)
	if err != nil {
		return err
	}
	if err := to.Mkdir(protocol.ObserversName, r.DirMode()); err != nil {
		return err
	}
	copies, err := to.OpenDir(protocol.ObserversName)
	if err != nil {
		return err
	}
	defer copies.Close()
	for _, name := range names {
		if name == string(token.Claim) {
			continue
		}
		if err := copyClaim(r, observers, copies, name); err != nil {
			return err
		}
	}
	return nil
}

func copyClaim(r *tree.Root, from, to vfs.Dir, name string) error {
	claim, err := from.OpenDir(name)
	if vfs.IsVanished(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer claim.Close()
	if err := to.Mkdir(name, r.DirMode()); err != nil {
		return err
	}
	copied, err := to.OpenDir(name)
	if err != nil {
		return err
	}
	defer copied.Close()
	return copyFile(r, claim, copied, protocol.RecordName)
}

func copyFile(r *tree.Root, from, to vfs.Dir, name string) error {
	data, err := vfs.ReadFile(from, name, protocol.MaxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return vfs.WriteFile(to, name, data, r.FileMode())
}
