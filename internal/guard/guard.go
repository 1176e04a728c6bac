// Package guard publishes and removes our own guards, in the one format that has
// them: clients of the ttsc format judge by pid alone, so that only a guard
// keeps them from taking a lock whose command outlived its holder.
package guard

import (
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Publish says that a command of generation g may run from now on, and returns the
// guard's name. It is prepared in the generation's own directory, so that a
// crash leaves nothing beside it.
func Publish(r *tree.Root, g *tree.Generation) (name string, err error) {
	boundary, err := r.Env.NewID()
	if err != nil {
		return "", err
	}
	guard := &protocol.Guard{
		Version: 1, TaskToken: protocol.GuardToken(g.ID), BoundaryToken: string(boundary),
		State: protocol.GuardPending, FenceRoot: r.Path, RetainedPaths: []string{},
		Generation: g.ID, Nonce: g.Record.Nonce, Reason: "a command started by genlock may run",
	}
	data, err := guard.Encode()
	if err != nil {
		return "", err
	}
	dir, err := open(r)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	name = guard.Name()
	if err := vfs.WriteFile(g.Dir, name, data, r.FileMode()); err != nil {
		return "", err
	}
	return name, g.Dir.Rename(name, dir, name, vfs.Plain)
}

// Remove deletes guards of ours. The caller has proof that their commands are gone.
func Remove(r *tree.Root, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	dir, err := open(r)
	if err != nil {
		return err
	}
	defer dir.Close()
	for _, name := range names {
		if rerr := dir.Remove(name); rerr != nil && !vfs.IsVanished(rerr) {
			err = rerr
		}
	}
	return err
}

func open(r *tree.Root) (vfs.Dir, error) {
	err := r.Dir.Mkdir(protocol.GuardsName, r.DirMode())
	if err != nil && !vfs.IsNotEmpty(err) {
		return nil, err
	}
	return r.Dir.OpenDir(protocol.GuardsName)
}
