// Package discard deletes, in the only way the protocol allows: what goes is
// first renamed to a fresh name by which nobody publishes, retires or recycles,
// and only whoever's rename succeeded deletes it (rule 8).
package discard

import (
	"strings"

	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Away renames from/name out of the way, calls then (if not nil) whatever came of
// the renaming, and deletes what was renamed. A failed rename is an error, and
// nothing was deleted; what cannot be deleted after it is litter, which
// the collector finds.
func Away(r *tree.Root, from vfs.Dir, name string, then func()) error {
	fresh, err := Aside(r, from, name)
	if then != nil {
		then()
	}
	if err != nil {
		return err
	}
	Delete(r, fresh)
	return nil
}

// Whole is Away for a collector: what could not be deleted is an error as well.
func Whole(r *tree.Root, from vfs.Dir, name string) error {
	fresh, err := Aside(r, from, name)
	if err != nil {
		return err
	}
	return Delete(r, fresh)
}

// Aside renames from/name to a fresh name in the root, and returns it. Whoever's
// Aside succeeded owns the directory.
func Aside(r *tree.Root, from vfs.Dir, name string) (fresh string, err error) {
	id, err := r.Env.NewID()
	if err != nil {
		return "", err
	}
	fresh = protocol.CandidateName(id)
	return fresh, out(r, from, name, fresh)
}

// out renames from/name to the fresh name in the root. A rename may have happened
// although it reported failure (rule 10); nobody else knows the fresh name.
func out(r *tree.Root, from vfs.Dir, name, fresh string) error {
	err := from.Rename(name, r.Dir, fresh, vfs.Plain)
	if err == nil {
		return nil
	}
	if _, lerr := r.Dir.Lstat(fresh); lerr == nil {
		return nil
	}
	return err
}

// Claim takes the claim name out of the observers directory from, in the same
// way, under a name that says what it was.
func Claim(r *tree.Root, from vfs.Dir, name string, generation protocol.ID, then func()) error {
	id, err := r.Env.NewID()
	if err != nil {
		return err
	}
	fresh := protocol.ClaimCandidateName(id, generation)
	err = out(r, from, name, fresh)
	if then != nil {
		then()
	}
	if err != nil {
		return err
	}
	Delete(r, fresh)
	return nil
}

// Delete deletes what Aside returned. The witness goes last, so that what a
// crash leaves can still be told from a live candidate.
func Delete(r *tree.Root, fresh string) error {
	return vfs.RemoveAll(r.Dir, fresh, isWitness)
}

// DeleteOwn is Delete for what usually holds nothing but names, of which dir is the
// open directory: it spares looking for them. What else is in it goes as usual.
func DeleteOwn(r *tree.Root, fresh string, dir vfs.Dir, names ...string) error {
	for _, name := range names {
		if dir.Remove(name) != nil {
			return Delete(r, fresh)
		}
	}
	if r.Dir.Rmdir(fresh) == nil {
		return nil
	}
	return Delete(r, fresh)
}

func isWitness(name string) bool { return strings.HasPrefix(name, "witness.") }
