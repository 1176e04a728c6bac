package artifact

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// A tree keeps contents, modes and links across file systems.
func TestCopyIsFaithful(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.apart = true
	a := w.acquire()
	out, err := a.Prepare()
	w.ok(err)
	w.mkdir(out + "/empty")
	w.mkdir(out + "/ro")
	big := strings.Repeat("0123456789", 60000) // more than one buffer
	w.ok(os.WriteFile(out+"/ro/big\nfile", []byte(big), 0o640))
	w.ok(os.WriteFile(out+"/ünïcödé 🦊", nil, 0o751))
	w.ok(os.Chmod(out+"/ünïcödé 🦊", 0o751|fs.ModeSetuid))
	w.ok(os.Symlink("../../nowhere", out+"/dangling"))
	w.ok(os.Symlink("/etc", out+"/ro/absolute"))
	w.ok(os.Chmod(out+"/ro", 0o555))
	w.ok(os.Chmod(out, 0o750|fs.ModeSetgid))
	want := describe(t, out)
	w.ok(a.publish())
	if got := describe(t, w.path); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	w.wantAlone()
}

// describe lists a tree with types, modes, link targets and contents.
func describe(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		b.WriteString(info.Mode().String() + " " + rel)
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.WriteString(" " + string(data))
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			b.WriteString(" -> " + target)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCopyRefusesOddTypes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no fifos here")
	}
	w := newWorld(t, t.TempDir())
	w.apart = true
	a := w.acquire()
	out, err := a.Prepare()
	w.ok(err)
	w.mkdir(out)
	w.ok(mkfifo(out + "/fifo"))
	w.wantErr(a.publish(), protocol.ErrUnsafePath)
	w.wantVersion("")
	w.wantAlone()
}

// A file system that knows no links says so, rather than following them.
func TestCopyWithoutLinks(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.apart = true
	a := w.acquire()
	a.FS = struct{ vfs.FS }{a.FS}
	out, err := a.Prepare()
	w.ok(err)
	w.mkdir(out)
	w.ok(os.Symlink("x", out+"/link"))
	w.wantErr(a.publish(), errors.ErrUnsupported)
	w.wantAlone()
}

// The same as the variants "beside", on two real file systems.
func TestRealFileSystems(t *testing.T) {
	dir, shm := t.TempDir(), scratch(t)
	if device(t, dir) == device(t, shm) {
		t.Skip("no second file system at /dev/shm")
	}
	for _, directory := range []bool{false, true} {
		w := newWorld(t, dir)
		w.path = filepath.Join(shm, "x", "tool")
		w.directory = directory
		w.replace = true
		for _, v := range []string{"one", "two"} {
			a := w.acquire()
			a.FS = vfs.OS()
			d, err := vfs.OS().OpenDir(w.current())
			w.ok(err)
			a.GenerationDir = d
			w.ok(a.Sweep())
			a.build(v)
			w.ok(a.publish())
			w.wantVersion(v)
			w.wantAlone()
			a.retire()
			d.Close()
		}
		// A late one.
		a := w.acquire()
		a.build("late")
		a.fs.before = func(op, path string) error {
			if w.beside(a) && op == "rename" && path == w.path {
				a.fs.before = nil
				a.retire()
				b := w.acquire()
				w.ok(b.Sweep())
				b.build("successor")
				w.ok(b.publish())
				b.retire()
			}
			return nil
		}
		w.wantErr(a.publish(), ErrStageGone)
		w.wantVersion("successor")
		w.wantAlone()
		w.ok(os.RemoveAll(w.path))
	}
}

func device(t *testing.T, path string) uint64 {
	info, err := vfs.OS().Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Dev
}
