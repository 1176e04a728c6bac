package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Target is what an operand names: one lock, or a directory of locks.
type Target struct {
	Path string // absolute
	Lock bool
}

// Resolve finds out what path names. A path with a coordination root is a lock,
// also when a directory stands there; any other directory is one of locks; what is
// neither stands where a lock could be, and is looked at as one; and what is not
// there is a lock that nobody ever held, if its directory is.
func Resolve(ctx context.Context, path string) (Target, error) {
	abs, err := filepath.Abs(path)
	if err != nil || path == "" {
		return Target{}, &protocol.UsageError{What: "path", Why: "it is empty"}
	}
	fsys := env.From(ctx).FS
	if _, err := fsys.Lstat(abs + protocol.RootSuffix); err == nil {
		return Target{abs, true}, nil
	}
	there, lerr := fsys.Lstat(abs)
	isLink := lerr == nil && there.Mode&fs.ModeSymlink != 0
	dir, err := fsys.OpenParent(abs)
	if err == nil {
		defer dir.Close()
		if _, err := dir.Lstat(protocol.MarkerName); err == nil && strings.HasSuffix(abs, protocol.RootSuffix) {
			return Target{}, &protocol.UsageError{What: fmt.Sprintf("path %q", path),
				Why: "it is a lock's own directory; leave out the " + protocol.RootSuffix}
		}
		// A link where a lock belongs is told as that, and not followed.
		return Target{abs, isLink && looksLikeLock(abs)}, nil
	}
	switch {
	case lerr == nil && there.IsDir(), isLink && !vfs.IsNotDir(err) && !vfs.IsVanished(err):
		return Target{}, err // there, and cannot be opened
	case lerr == nil:
		return Target{abs, true}, protocol.CheckLockPath(abs)
	}
	parent, perr := fsys.Lstat(filepath.Dir(abs))
	if perr != nil || !parent.IsDir() && parent.Mode&fs.ModeSymlink == 0 {
		return Target{}, err
	}
	return Target{abs, true}, protocol.CheckLockPath(abs)
}

// Directory resolves what has to be a directory of locks.
func Directory(ctx context.Context, path string) (Target, error) {
	t, err := Resolve(ctx, path)
	if err != nil || !t.Lock {
		return t, err
	}
	fsys := env.From(ctx).FS
	if _, err := fsys.Lstat(t.Path + protocol.RootSuffix); err == nil {
		return t, nil
	}
	if _, err := fsys.Lstat(t.Path); err == nil && looksLikeLock(t.Path) {
		return t, nil // odd, and worth a row
	}
	_, err = fsys.OpenParent(t.Path)
	return t, err
}

// Nothing tells whether t is a lock that nobody has ever had, and at whose path nothing
// stands: most likely it is mistyped.
func (t Target) Nothing(ctx context.Context) bool {
	for _, path := range []string{t.Path + protocol.RootSuffix, t.Path, t.Path + v2Suffix} {
		if _, err := env.From(ctx).FS.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return t.Lock
}

// Relative is how a lock is named in a listing of t.
func (t Target) Relative(lock string) string {
	if rel, err := filepath.Rel(t.Path, lock); err == nil && !t.Lock {
		return rel
	}
	return lock
}
