package protocol

import (
	"fmt"
	"path/filepath"
	"strings"
)

// CheckLockPath tells whether path may name a lock: not empty, no NUL, a last
// element that is a name and has at most MaxBase bytes, and not a name by
// which the protocol itself would be hit.
func CheckLockPath(path string) error {
	base := filepath.Base(path)
	switch {
	case path == "":
		return &UsageError{What: "lock path", Why: "it is empty"}
	case strings.IndexByte(path, 0) >= 0:
		return pathUsage(path, "it holds a NUL byte")
	case strings.HasSuffix(path, string(filepath.Separator)), base == ".", base == "..":
		return pathUsage(path, "its last element is not a name; a lock is named like a file, such as cache/key.lock")
	case len(base) > MaxBase:
		return pathUsage(path, fmt.Sprintf("its last element has %d bytes and %d are the most; "+
			"genlock.Path makes a short one from any key", len(base), MaxBase))
	case strings.HasSuffix(base, RootSuffix):
		return pathUsage(path, "it ends in "+RootSuffix+", which is the lock's own directory; leave that ending out")
	}
	return nil
}

func pathUsage(path, why string) error {
	return &UsageError{What: fmt.Sprintf("lock path %q", printable(path)), Why: why}
}
