package artifact

import (
	"fmt"
	"path/filepath"
	"strings"

	"genlock.dev/genlock/protocol"
)

// longestName is what every file system takes that is meant for builds.
const longestName = 255

// CheckPath tells whether artifact may be built under the lock at path lock:
// both absolute, the artifact's last element a name that is not that of a
// staging, and neither of them inside the other or inside the lock's own
// directory. It compares the paths as they are written; links are not resolved.
// Failures are *protocol.UsageError.
func CheckPath(artifact, lock string) error {
	lock = filepath.Clean(lock)
	refuse := func(why string) error {
		return &protocol.UsageError{What: fmt.Sprintf("artifact path %q", artifact), Why: why}
	}
	base := filepath.Base(artifact)
	switch {
	case artifact == "":
		return refuse("it is empty")
	case strings.IndexByte(artifact, 0) >= 0:
		return refuse("it holds a NUL byte")
	case strings.HasSuffix(artifact, string(filepath.Separator)), base == ".", base == "..":
		return refuse("its last element is not a name")
	case len(base) > longestName:
		return refuse(fmt.Sprintf("its last element has %d bytes and %d are the most", len(base), longestName))
	case !filepath.IsAbs(artifact), !filepath.IsAbs(lock):
		return refuse("it cannot be compared with the lock path, since one of them is not absolute")
	case isBesideName(base):
		return refuse("its name is that of a staging, which is deleted when it is found")
	}
	dir, name := filepath.Dir(lock), filepath.Base(lock)
	root := filepath.Join(dir, protocol.RootName(name))
	switch {
	case within(artifact, lock):
		return refuse("it is the path of the lock, or inside it")
	case within(artifact, root):
		return refuse("it is inside the lock's own directory " + root)
	case within(lock, artifact):
		return refuse("the lock lies inside it")
	}
	if of, _, ok := protocol.ParseRootCandidateName(base); ok && of == name && filepath.Dir(artifact) == dir {
		return refuse("its name is one that the lock uses itself")
	}
	return nil
}

// within tells whether path is dir or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// isBesideName tells whether name is BesideName of anything.
func isBesideName(name string) bool {
	i := strings.LastIndex(name, protocol.BesideName("", ""))
	if i < 0 {
		return false
	}
	_, ok := protocol.ParseBesideName(name, name[:i])
	return ok
}
