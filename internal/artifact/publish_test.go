package artifact

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"genlock.dev/genlock/protocol"
)

func TestPublish(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		// Parents are made.
		w.path = filepath.Join(filepath.Dir(w.path), "x", "y", "tool")
		a := w.acquire()
		found, err := Exists(a.FS, w.path)
		if found || err != nil {
			t.Fatalf("Exists with missing parents: %v, %v", found, err)
		}
		w.ok(a.Sweep())
		out := a.build("one")
		if filepath.Base(out) != "tool" || filepath.Dir(filepath.Dir(out)) != w.current() {
			t.Errorf("staged at %s", out)
		}
		w.ok(a.publish())
		w.wantVersion("one")
		found, err = Exists(a.FS, w.path)
		if !found || err != nil {
			t.Fatalf("Exists after publishing: %v, %v", found, err)
		}
		w.wantAlone()
		w.ok(a.Discard())
		if _, err := os.Lstat(filepath.Dir(out)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after Discard: %v", err)
		}
		w.wantErr(a.publish(), ErrStageGone)
		w.ok(a.Discard())
	})
}

// A tenure may publish again; what an exchange left behind is not published.
func TestPublishTwice(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		w.replace = true
		w.make(w.path, "old")
		a := w.acquire()
		a.build("one")
		w.ok(a.publish())
		if !w.apart { // a copy leaves its source
			w.wantErr(a.publish(), ErrNoArtifact)
		}
		w.wantVersion("one")
		a.build("two")
		w.ok(a.publish())
		w.wantVersion("two")
		w.ok(a.Discard())
		entries, err := os.ReadDir(w.current())
		w.ok(err)
		if len(entries) != 1 {
			t.Errorf("the generation keeps %v", entries)
		}
	})
}

func TestExistingArtifactIsKept(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		w.make(w.path, "old")
		a := w.acquire()
		out := a.build("new")
		w.wantErr(a.publish(), ErrExists)
		w.wantVersion("old")
		w.wantAlone()
		w.path = out
		w.wantVersion("new")
	})
}

// The artifact appears between the look and the rename: it is kept all the same
// where the system can rename without replacing.
func TestArtifactAppears(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		if w.plain && !w.directory {
			t.Skip("this file system cannot rename without replacing")
		}
		a := w.acquire()
		a.build("new")
		a.fs.before = func(op, path string) error {
			if op == "rename" && path == w.path && w.version() == "" && (!w.apart || w.beside(a)) {
				w.make(w.path, "stranger")
			}
			return nil
		}
		w.wantErr(a.publish(), ErrExists)
		w.wantVersion("stranger")
	})
}

func TestNoArtifact(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		w.replace = true
		w.make(w.path, "old")
		a := w.acquire()
		out, err := a.Prepare()
		w.ok(err)
		err = a.publish()
		w.wantErr(err, ErrNoArtifact)
		if !strings.Contains(err.Error(), out) {
			t.Errorf("%q does not name %s", err, out)
		}
		a.retire()
		w.wantErr(a.publish(), ErrStageGone)
		if _, err := a.Prepare(); !errors.Is(err, ErrStageGone) {
			t.Errorf("Prepare after retirement: %v", err)
		}
		w.wantVersion("old")
	})
}

// What an earlier build of the same tenure left is not taken for the next one's.
func TestPrepareStartsClean(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		a := w.acquire()
		a.build("failed")
		_, err := a.Prepare()
		w.ok(err)
		w.wantErr(a.publish(), ErrNoArtifact)
	})
}

// A file replaces a directory and a directory a file.
func TestTypeChanges(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		w.replace = true
		w.directory = !w.directory
		w.make(w.path, "old")
		w.directory = !w.directory
		a := w.acquire()
		a.build("new")
		w.ok(a.publish())
		w.wantVersion("new")
		w.wantAlone()
	})
}

// Protocol rule 11, at both ends of a publication.
func TestOddTypes(t *testing.T) {
	odd := map[string]func(path, victim string) error{
		"link":     func(path, victim string) error { return os.Symlink(victim, path) },
		"dangling": func(path, _ string) error { return os.Symlink("nowhere", path) },
		"fifo":     func(path, _ string) error { return mkfifo(path) },
	}
	variants(t, func(t *testing.T, w0 *world) {
		w0.replace = true
		for name, plant := range odd {
			w := w0.fresh()
			victim := filepath.Join(filepath.Dir(w.root), "victim")
			w.ok(os.WriteFile(victim, []byte("precious"), 0o600))
			check := func(err error, path string) {
				t.Helper()
				var unsafe *protocol.UnsafeError
				if !errors.As(err, &unsafe) || unsafe.Path != path || !errors.Is(err, protocol.ErrUnsafePath) {
					t.Fatalf("%s: got %v", name, err)
				}
				data, err := os.ReadFile(victim)
				if string(data) != "precious" || err != nil {
					t.Fatalf("%s: the victim is %q now, %v", name, data, err)
				}
			}
			w.ok(plant(w.path, victim))
			before, err := os.Lstat(w.path)
			w.ok(err)
			a := w.acquire()
			_, err = Exists(a.FS, w.path)
			check(err, w.path)
			a.build("new")
			check(a.publish(), w.path)
			after, err := os.Lstat(w.path)
			if err != nil || !os.SameFile(before, after) {
				t.Fatalf("%s: it was touched: %v", name, err)
			}
			// The built thing is odd.
			w.ok(os.Remove(w.path))
			out, err := a.Prepare()
			w.ok(err)
			w.ok(plant(out, victim))
			check(a.publish(), out)
			w.wantAlone()
		}
	})
}

func TestFsyncComesBeforeTheRename(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		a := w.acquire()
		a.Fsync = true
		a.build("new")
		var synced []string
		a.fs.after = func(op, path string) error {
			switch {
			case op == "sync" && (!w.apart || !strings.HasPrefix(path, w.root)):
				synced = append(synced, filepath.Base(path))
			case op == "rename" && path == w.path:
				synced = append(synced, "rename")
			}
			return nil
		}
		w.ok(a.publish())
		want := []string{"tool", "rename"}
		if w.directory {
			want = []string{"a", "b", "c", "sub", "tool", "rename"}
			slices.Sort(synced[:len(synced)-1])
		}
		if !slices.Equal(synced, want) {
			t.Errorf("synced %v, want %v", synced, want)
		}
	})
}

func TestStagingModes(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.apart = true
	a := w.acquire()
	a.Mode = 0o777
	out := a.build("new")
	var modes []fs.FileMode
	a.fs.before = func(op, path string) error {
		if op == "rename" && path == w.path && w.beside(a) {
			for _, dir := range []string{filepath.Dir(out), w.path + ".genlock-" + string(a.Generation)} {
				info, err := os.Stat(dir)
				w.ok(err)
				modes = append(modes, info.Mode().Perm())
			}
		}
		return nil
	}
	w.ok(a.Publish(context.Background()))
	if !slices.Equal(modes, []fs.FileMode{0o777, 0o777}) {
		t.Errorf("modes of the stagings are %v", modes)
	}
}
