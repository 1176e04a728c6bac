package artifact

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const otherID = "0123456789abcdef0123456789abcdef"

func TestSweep(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.path = filepath.Join(filepath.Dir(w.path), "tool")
	a := w.acquire()
	dir := filepath.Dir(w.path)
	keep := []string{
		"tool", "tool2.genlock-" + otherID, "tool.genlock-", "tool.genlock-" + otherID + "0", "tool.genlock-" + otherID + ".genlock-" + otherID,
		"tool.genlock-0123456789ABCDEF0123456789ABCDEF", "Tool.genlock-" + otherID, "x-tool.genlock-" + otherID,
		"tool.genlock-" + string(a.Generation),
	}
	for _, name := range keep {
		w.mkdir(filepath.Join(dir, name, "tool"))
	}
	victim := filepath.Join(filepath.Dir(w.root), "victim")
	w.ok(os.WriteFile(victim, []byte("precious"), 0o600))
	// Directories with read-only parts, files, links: all are stagings.
	w.mkdir(filepath.Join(dir, "tool.genlock-"+otherID, "tool", "sub"))
	w.ok(os.Chmod(filepath.Join(dir, "tool.genlock-"+otherID, "tool"), 0o555))
	w.ok(os.WriteFile(filepath.Join(dir, "tool.genlock-1"+otherID[1:]), nil, 0o644))
	w.ok(os.Symlink(victim, filepath.Join(dir, "tool.genlock-2"+otherID[1:])))
	w.ok(os.Symlink(filepath.Dir(victim), filepath.Join(dir, "tool.genlock-3"+otherID[1:])))
	w.ok(a.Sweep())
	entries, err := os.ReadDir(dir)
	w.ok(err)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	slices.Sort(keep)
	if !slices.Equal(left, keep) {
		t.Errorf("left %q\nwant %q", left, keep)
	}
	if data, err := os.ReadFile(victim); string(data) != "precious" || err != nil {
		t.Errorf("the victim is %q, %v", data, err)
	}
}

// With nothing to sweep, nothing is written; ours is none of it.
func TestSweepOfNothing(t *testing.T) {
	w := newWorld(t, t.TempDir())
	a := w.acquire()
	own := w.path + ".genlock-" + string(a.Generation)
	w.mkdir(own + "/tool")
	a.fs.before = func(op, path string) error {
		if op != "opendir" && op != "names" {
			t.Errorf("%s %s", op, path)
		}
		return nil
	}
	w.ok(a.Sweep())
	if _, err := os.Stat(own + "/tool"); err != nil {
		t.Error("our own staging was swept")
	}
	a.Path = filepath.Join(filepath.Dir(w.path), "missing", "tool")
	w.ok(a.Sweep())
}

// A sweeper that is no longer current sweeps nothing.
func TestSweepAfterRetirement(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.mkdir(w.path + ".genlock-" + otherID)
	a := w.acquire()
	a.retire()
	w.acquire()
	w.wantErr(a.Sweep(), ErrStageGone)
	if _, err := os.Stat(w.path + ".genlock-" + otherID); err != nil {
		t.Error(err)
	}
}

// The owner of a swept staging cannot publish, nor write there again by path.
func TestSweptOwner(t *testing.T) {
	for _, directory := range []bool{false, true} {
		w := newWorld(t, t.TempDir())
		w.apart, w.directory = true, directory
		a := w.acquire()
		a.build("late")
		a.fs.before = func(op, path string) error {
			if op == "rename" && path == w.path && w.beside(a) {
				a.retire()
				w.ok(w.acquire().Sweep())
				w.wantAlone()
			}
			return nil
		}
		w.wantErr(a.publish(), ErrStageGone)
		w.wantVersion("")
		w.wantAlone()
	}
}

// What cannot be deleted is out of the way all the same, and no error.
func TestSweepOfTheUndeletable(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.mkdir(w.path + ".genlock-" + otherID + "/tool")
	a := w.acquire()
	a.fs.before = func(op, path string) error {
		if op == "rmdir" || op == "remove" {
			return errFault
		}
		return nil
	}
	w.ok(a.Sweep())
	if _, err := os.Stat(w.path + ".genlock-" + otherID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the staging is still there: %v", err)
	}
	a.fs.before = nil
	w.ok(a.Sweep())
	w.wantAlone()
}
