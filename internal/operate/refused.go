package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
)

// Refused says whose the place is at which err was refused for lack of permission, and
// who asked; "" when the error names no place.
func Refused(err error) string {
	path := refusedAt(err)
	if path == "" || os.Getuid() < 0 {
		return ""
	}
	info, path, ok := nearest(path)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s (%s) belongs to %s, and you are %s", quote(path), info.Mode, userOf(int(info.UID)), userOf(os.Geteuid()))
}

func refusedAt(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Path
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.New
	}
	return ""
}

// nearest is what can be seen of path: itself, or the directory in the way to it.
func nearest(path string) (info vfs.Info, at string, ok bool) {
	fsys := env.From(context.Background()).FS
	for at = path; filepath.IsAbs(at); at = filepath.Dir(at) {
		if info, err := fsys.Lstat(at); err == nil {
			return info, at, true
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return info, at, false
}

func userOf(uid int) string {
	id := strconv.Itoa(uid)
	if u, err := user.LookupId(id); err == nil {
		return fmt.Sprintf("%s (uid %s)", u.Username, id)
	}
	return "uid " + id
}
