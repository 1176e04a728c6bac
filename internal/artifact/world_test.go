package artifact

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"genlock.dev/genlock/protocol"
)

// world is a lock and an artifact, with nothing of the real protocol but that
// current changes hands by renaming.
type world struct {
	t         *testing.T
	root      string // L.v3
	path      string // the artifact
	apart     bool   // the artifact seems to lie on another file system
	plain     bool   // renames know no flags
	replace   bool
	directory bool // builds make directories
}

func newWorld(t *testing.T, dir string) *world {
	t.Helper()
	w := &world{t: t, root: filepath.Join(dir, "cache", "k.lock.v3"), path: filepath.Join(dir, "out", "tool")}
	w.mkdir(filepath.Join(w.root, "retired"))
	w.mkdir(filepath.Dir(w.path))
	return w
}

func (w *world) mkdir(path string) {
	w.t.Helper()
	w.ok(os.MkdirAll(path, 0o755))
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) current() string { return filepath.Join(w.root, "current") }

// tenure is one holder with its site and its own view of the file system.
type tenure struct {
	*Site
	w  *world
	fs *hookFS
}

// acquire makes a new current generation. The last one must be retired.
func (w *world) acquire() *tenure {
	w.t.Helper()
	id, err := protocol.NewID()
	w.ok(err)
	candidate := filepath.Join(w.root, protocol.CandidateName(id))
	w.mkdir(candidate)
	w.ok(os.WriteFile(filepath.Join(candidate, "generation"), id.Line(), 0o644))
	w.ok(os.Rename(candidate, w.current()))
	h := &hookFS{plain: w.plain}
	if w.apart {
		h.apart = w.root
	}
	d, err := h.OpenDir(w.current())
	w.ok(err)
	w.t.Cleanup(func() { d.Close() })
	return &tenure{w: w, fs: h, Site: &Site{
		FS: h, Path: w.path, Current: w.current(), Generation: id, GenerationDir: d, Replace: w.replace,
		StillCurrent: func() error { return w.isCurrent(id) },
	}}
}

func (w *world) isCurrent(id protocol.ID) error {
	data, err := os.ReadFile(filepath.Join(w.current(), "generation"))
	if got, _ := protocol.ParseIDFile(data); err == nil && got != id {
		err = errors.New("another generation is current")
	}
	return err
}

// retire is what any reclaimer does to the current generation.
func (w *world) retire(id protocol.ID) {
	w.t.Helper()
	w.ok(os.Rename(w.current(), filepath.Join(w.root, "retired", string(id))))
}

func (x *tenure) retire() { x.w.t.Helper(); x.w.retire(x.Generation) }

// build stages the version v of the artifact.
func (x *tenure) build(v string) string {
	x.w.t.Helper()
	out, err := x.Prepare()
	x.w.ok(err)
	x.w.make(out, v)
	return out
}

func (x *tenure) publish() error { return x.Publish(context.Background()) }

func (w *world) make(path, v string) {
	w.t.Helper()
	if !w.directory {
		w.ok(os.WriteFile(path, []byte(v), 0o755))
		return
	}
	w.mkdir(filepath.Join(path, "sub"))
	for _, name := range []string{"a", "b", "sub/c"} {
		w.ok(os.WriteFile(filepath.Join(path, name), []byte(v), 0o644))
	}
}

// version reads the artifact; "" when there is none. A mixed one fails the test.
func (w *world) version() string {
	w.t.Helper()
	if !w.directory {
		data, err := os.ReadFile(w.path)
		if !errors.Is(err, os.ErrNotExist) {
			w.ok(err)
		}
		return string(data)
	}
	if _, err := os.Lstat(w.path); errors.Is(err, os.ErrNotExist) {
		return ""
	}
	var v string
	for i, name := range []string{"a", "b", "sub/c"} {
		data, err := os.ReadFile(filepath.Join(w.path, name))
		w.ok(err)
		if i > 0 && string(data) != v {
			w.t.Fatalf("the artifact is mixed: %q and %q", v, data)
		}
		v = string(data)
	}
	return v
}

func (w *world) wantVersion(v string) {
	w.t.Helper()
	if got := w.version(); got != v {
		w.t.Fatalf("artifact is %q, want %q", got, v)
	}
}

// wantAlone fails if anything lies beside the artifact.
func (w *world) wantAlone() {
	w.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(w.path))
	w.ok(err)
	for _, e := range entries {
		if e.Name() != filepath.Base(w.path) {
			w.t.Errorf("%s was left beside the artifact", e.Name())
		}
	}
}

func (w *world) wantErr(err, want error) {
	w.t.Helper()
	if !errors.Is(err, want) {
		w.t.Fatalf("got error %v, want %v", err, want)
	}
}

// variants runs f for every way in which publishing works.
func variants(t *testing.T, f func(t *testing.T, w *world)) {
	for _, v := range []struct {
		name                    string
		apart, plain, directory bool
	}{
		{"file", false, false, false},
		{"dir", false, false, true},
		{"file_noflags", false, true, false},
		{"dir_noflags", false, true, true},
		{"file_beside", true, false, false},
		{"dir_beside", true, false, true},
		{"dir_beside_noflags", true, true, true},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, scratch(t))
			w.apart, w.plain, w.directory = v.apart, v.plain, v.directory
			f(t, w)
		})
	}
}

// fresh is the same variant in a directory of its own.
func (w *world) fresh() *world {
	n := newWorld(w.t, scratch(w.t))
	n.apart, n.plain, n.directory, n.replace = w.apart, w.plain, w.directory, w.replace
	return n
}

// scratch is a directory in memory where there is one: the enumerating tests
// make thousands of files.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "artifact")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
