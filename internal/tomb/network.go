package tomb

import (
	"errors"
	"io/fs"
	"syscall"
	"time"

	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
)

// networkAge is how long a tombstone stays on a network file system, where a
// rename that was sent before may still arrive (rule 10).
const networkAge = 10 * time.Minute

// Unclear tells whether a rename that failed with err may still happen. On a local
// file system a failure is final, and so is a refusal that a server gave in
// words; everything else is an answer that got lost.
func Unclear(r *tree.Root, err error) bool {
	if err == nil || r.Kind.Local {
		return false
	}
	for _, final := range []error{fs.ErrPermission, fs.ErrNotExist, fs.ErrExist, syscall.ENOTEMPTY,
		syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.EXDEV, syscall.EBUSY, syscall.ENOTDIR, syscall.EINVAL} {
		if errors.Is(err, final) {
			return false
		}
	}
	return true
}

// tooYoung tells whether g has to stay because of the network alone.
func tooYoung(r *tree.Root, g *tree.Generation) bool {
	return !r.Kind.Local && r.Env.Clock.Now().Sub(g.Info.ModTime) < networkAge
}

// Removable tells whether the holder may delete its own tombstone at once.
func Removable(r *tree.Root, dir vfs.Dir) bool { return r.Kind.Local && Unclaimed(dir) }
