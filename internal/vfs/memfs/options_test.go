package memfs

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

func TestLimits(t *testing.T) {
	f := New(Options{Bytes: 10, Inodes: 3})
	root := open(t, f.Process(), "/")
	a := create(t, root, "a")
	if n, err := a.Write([]byte("twelve bytes")); n != 10 || !vfs.IsNoSpace(err) {
		t.Errorf("wrote %d of 12 bytes into 10: %v", n, err)
	}
	must(t, root.Mkdir("d", 0o755))
	if err := root.Mkdir("e", 0o755); !vfs.IsNoSpace(err) {
		t.Errorf("fourth inode: %v", err)
	}
	// A rename needs no space.
	must(t, root.Rename("a", root, "b", vfs.Plain))
	must(t, root.Rmdir("d"))
	must(t, root.Mkdir("e", 0o755))

	// A removed file holds its space until it is closed.
	must(t, root.Remove("b"))
	must(t, root.Rmdir("e"))
	c := create(t, root, "c")
	if n, err := c.Write([]byte("x")); n != 0 || !vfs.IsNoSpace(err) {
		t.Errorf("wrote %d byte while a removed file holds all: %v", n, err)
	}
	must(t, a.Close())
	if _, err := c.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	must(t, f.SetLimits("/", 1, 0))
	if _, err := c.Write([]byte("y")); !vfs.IsNoSpace(err) {
		t.Errorf("write beyond the new limit: %v", err)
	}
	checkSpace(t, f)
}

func TestReadOnly(t *testing.T) {
	f := New(Options{})
	must(t, f.WriteFile("/d/file", "x"))
	root := open(t, f.Process(), "/")
	d := openDir(t, root, "d")
	file, err := d.Open("file", vfs.ReadWrite, 0)
	must(t, err)
	must(t, f.SetReadOnly("/", true))
	_, create := d.Open("new", vfs.Create, 0o644)
	_, write := file.Write([]byte("y"))
	_, rw := d.Open("file", vfs.ReadWrite, 0)
	for what, err := range map[string]error{
		"mkdir": d.Mkdir("new", 0o755), "create": create, "write": write, "open": rw,
		"rename": root.Rename("d", root, "e", vfs.Plain), "remove": d.Remove("file"),
		"rename of nothing": root.Rename("x", root, "e", vfs.Plain),
		"rmdir":             root.Rmdir("d"), "chmod": d.Chmod(0o700),
	} {
		if !vfs.IsReadOnly(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := root.Mkdir("d", 0o755); !errors.Is(err, syscall.EEXIST) {
		t.Errorf("mkdir of what exists: %v", err)
	}
	must(t, openFile(t, d, "file").Flock(vfs.Shared))
	must(t, f.SetReadOnly("/", false))
	must(t, d.Mkdir("new", 0o755))
}

func TestDevices(t *testing.T) {
	f := New(Options{})
	must(t, f.MkdirAll("/mnt", 0o755))
	must(t, f.Mount("/mnt", Options{Kind: vfs.Kind{Name: "nfs"}}))
	must(t, f.MkdirAll("/mnt/sub", 0o755))
	root := open(t, f.Process(), "/")
	mnt := openDir(t, root, "mnt")
	must(t, root.Mkdir("d", 0o755))
	for what, err := range map[string]error{
		"out": mnt.Rename("sub", root, "sub", vfs.Plain),
		"in":  root.Rename("d", mnt, "d", vfs.Plain),
	} {
		if !vfs.IsCrossDevice(err) {
			t.Errorf("rename %s: %v", what, err)
		}
	}
	if err := root.Rename("mnt", root, "n", vfs.Plain); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("rename of a mount point: %v", err)
	}
	if kind, err := mnt.Kind(); err != nil || kind.Name != "nfs" || kind.Local {
		t.Errorf("kind %+v, %v", kind, err)
	}
	a, _ := root.Lstat("mnt")
	b, _ := root.Stat()
	if a.Dev == b.Dev {
		t.Error("both devices have the same number")
	}
	if got, want := f.AfterPowerCut(everything).Dump(), f.Dump(); got != want {
		t.Errorf("after a power cut:\n%s\nwant:\n%s", got, want)
	}
}

func TestLowerLayer(t *testing.T) {
	f := New(Options{})
	must(t, f.WriteFile("/baked/current/generation", "G"))
	must(t, f.MarkLower("/baked"))
	baked := open(t, f.Process(), "/baked")
	if err := baked.Rename("current", baked, "retired", vfs.Plain); !vfs.IsCrossDevice(err) {
		t.Errorf("rename of a lower directory: %v", err)
	}
	current := openDir(t, baked, "current")
	must(t, current.Remove("generation"))
	must(t, baked.Rmdir("current"))
	must(t, baked.Mkdir("current", 0o755))
	must(t, baked.Rename("current", baked, "retired", vfs.Plain))
}

func TestReusedInodeNumbers(t *testing.T) {
	for _, reuse := range []bool{false, true} {
		f := New(Options{ReuseInodes: reuse})
		root := open(t, f.Process(), "/")
		ino := func(name string) uint64 {
			must(t, root.Mkdir(name, 0o755))
			info, err := root.Lstat(name)
			must(t, err)
			return info.Ino
		}
		first := ino("a")
		handle := openDir(t, root, "a")
		must(t, root.Rmdir("a"))
		if second := ino("b"); second == first {
			t.Error("the number of an open directory was given out again")
		}
		must(t, handle.Close())
		if third := ino("c"); (third == first) != reuse {
			t.Errorf("reuse %v: numbers %d, then %d", reuse, first, third)
		}
	}
}

func TestClock(t *testing.T) {
	now := Epoch
	f := New(Options{Clock: func() time.Time { return now }})
	root := open(t, f.Process(), "/")
	must(t, root.Mkdir("d", 0o755))
	d := openDir(t, root, "d")
	now = now.Add(time.Hour)
	must(t, root.Rename("d", root, "e", vfs.Plain))
	if info, _ := d.Stat(); !info.ModTime.Equal(Epoch) {
		t.Errorf("a directory's own time changed when it was renamed: %v", info.ModTime)
	}
	create(t, d, "x")
	if info, _ := d.Stat(); !info.ModTime.Equal(now) {
		t.Errorf("a new name left the directory at %v", info.ModTime)
	}
	must(t, f.Chtime("/e", Epoch))
	if info, _ := d.Stat(); !info.ModTime.Equal(Epoch) {
		t.Errorf("Chtime left the directory at %v", info.ModTime)
	}
}

func TestFoldCase(t *testing.T) {
	f := New(Options{FoldCase: true})
	root := open(t, f.Process(), "/")
	must(t, root.Mkdir("Lock", 0o755))
	if err := root.Mkdir("lock", 0o755); !errors.Is(err, fs.ErrExist) {
		t.Errorf("mkdir of the same name: %v", err)
	}
	must(t, root.Rename("lock", root, "LOCK", vfs.Plain))
	wantLines(t, "respelled", f.Dump(), "/ drwxr-xr-x\n/LOCK drwxr-xr-x")
	wantLines(t, "after a power cut", f.AfterPowerCut(everything).Dump(), f.Dump())
	must(t, root.Rmdir("lOcK"))
}

func TestWindowsRules(t *testing.T) {
	f := New(Options{Windows: true})
	must(t, f.WriteFile("/d/file", "x"))
	p := f.Process()
	root := open(t, p, "/")
	d := openDir(t, root, "d")
	file := openFile(t, d, "file")
	for what, err := range map[string]error{
		"move the directory": root.Rename("d", root, "e", vfs.Plain),
		"remove the file":    d.Remove("file"),
	} {
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s with an open file: %v", what, err)
		}
	}
	if err := file.Flock(vfs.Shared); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("flock: %v", err)
	}
	must(t, file.Close())

	// The directory handle keeps nothing in place, and does not follow.
	must(t, root.Rename("d", root, "e", vfs.Plain))
	if _, err := d.Lstat("file"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("handle of a moved directory: %v", err)
	}
	must(t, root.Mkdir("d", 0o755))
	if err := d.Mkdir("sub", 0o755); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("mkdir below another directory at the same path: %v", err)
	}
	must(t, root.Rmdir("d"))
	must(t, root.Rename("e", root, "d", vfs.Plain))
	must(t, d.Mkdir("sub", 0o755))
	must(t, root.Mkdir("e", 0o755))
	if err := root.Rename("d", root, "e", vfs.Exchange); !vfs.IsUnsupported(err) {
		t.Errorf("exchange: %v", err)
	}
	must(t, d.Close())
	checkSpace(t, f)
}
