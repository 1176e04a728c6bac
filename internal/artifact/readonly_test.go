package artifact

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Builds leave directories that may not be written to. An ordinary user may move
// such a directory only with help, and its modes arrive unchanged.
func TestReadOnlyDirectories(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		asUser(t, func() {
			w := w.fresh()
			w.directory, w.replace = true, true
			for _, v := range []string{"one", "two"} {
				a := w.acquire()
				out := a.build(v)
				for _, dir := range []string{filepath.Join(out, "sub"), out} {
					w.ok(os.Chmod(dir, 0o555))
				}
				w.ok(a.publish())
				w.wantVersion(v)
				for _, dir := range []string{w.path, filepath.Join(w.path, "sub")} {
					info, err := os.Stat(dir)
					w.ok(err)
					if info.Mode() != fs.ModeDir|0o555 {
						t.Errorf("%s has mode %v", dir, info.Mode())
					}
				}
				w.wantAlone()
				w.ok(a.Discard())
				a.retire()
			}
			// A refused one keeps its modes.
			a := w.acquire()
			a.Replace = false
			out := a.build("three")
			w.ok(os.Chmod(out, 0o555))
			w.wantErr(a.publish(), ErrExists)
			info, err := os.Stat(out)
			w.ok(err)
			if info.Mode().Perm() != 0o555 {
				t.Errorf("%s has mode %v", out, info.Mode())
			}
			w.ok(os.Chmod(out, 0o755))
			w.ok(os.Chmod(w.path, 0o755))
			w.ok(os.Chmod(filepath.Join(w.path, "sub"), 0o755))
			// A permission that is missing elsewhere is reported as itself.
			parent := filepath.Dir(w.path)
			w.ok(os.Chmod(parent, 0o555))
			defer os.Chmod(parent, 0o755)
			w.path = filepath.Join(parent, "other")
			a.Path = w.path
			out = a.build("four")
			w.ok(os.Chmod(out, 0o555))
			w.wantErr(a.publish(), fs.ErrPermission)
			w.ok(os.Chmod(out, 0o755))
		})
	})
}
