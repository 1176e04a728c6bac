package memfs

import (
	"io/fs"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

// story is a bit of everything, always in the same order.
func story(t *testing.T, f *FS) {
	t.Helper()
	p := f.Process()
	root := open(t, p, "/")
	for _, name := range []string{"d", "c", "b", "a"} {
		must(t, root.Mkdir(name, 0o755))
	}
	file := create(t, root, "file")
	file.Write([]byte("data"))
	must(t, file.Flock(vfs.Exclusive))
	must(t, root.Rename("a", root, "b", vfs.Plain))
	gone := create(t, root, "gone")
	gone.Write([]byte("still there"))
	must(t, root.Remove("gone"))
	must(t, f.Symlink("a file", "/link"))
	must(t, f.Mknod("/fifo", 0o600|fs.ModeNamedPipe))
}

func TestDumpAndState(t *testing.T) {
	f := New(Options{ReuseInodes: true})
	story(t, f)
	wantLines(t, "dump", f.Dump(), `
		/ drwxr-xr-x
		/b drwxr-xr-x
		/c drwxr-xr-x
		/d drwxr-xr-x
		/fifo prw-------
		/file -rw------- "data" exclusive [1]
		/link Lrwxrwxrwx -> "a file"`)
	wantLines(t, "state", f.State(), `
		/ drwxr-xr-x dev=1 ino=2 time=946684800000000000
		/b drwxr-xr-x dev=1 ino=6 time=946684800000000000
		/c drwxr-xr-x dev=1 ino=4 time=946684800000000000
		/d drwxr-xr-x dev=1 ino=3 time=946684800000000000
		/fifo prw------- dev=1 ino=9 time=946684800000000000
		/file -rw------- dev=1 ino=7 time=946684800000000000 "data" exclusive [1]
		/link Lrwxrwxrwx dev=1 ino=8 time=946684800000000000 -> "a file"
		process 1: 0: directory /
		process 1: 1: file of [1], exclusive, at 4, /file
		process 1: 2: file of [1], unlocked, at 11, "(removed gone)" -rw------- dev=1 ino=5 time=946684800000000000 "still there"
		device 1: 15 bytes, 8 inodes, next 10, free []
		pending: add /d/ ""
		pending: add /c/ ""
		pending: add /b/ ""
		pending: add /a/ ""
		pending: add /file ""
		pending: write /file 4 bytes at 0 "data"
		pending: rename /a to /b ""
		pending: add /gone ""
		pending: write /gone 11 bytes at 0 "still there"
		pending: remove /gone ""
		pending: add /link -> "a file" ""
		pending: add /fifo ""
		durable:
		/ drwxr-xr-x`)
}

func TestTheSameCallsGiveTheSameState(t *testing.T) {
	f, g := New(Options{ReuseInodes: true}), New(Options{ReuseInodes: true})
	story(t, f)
	story(t, g)
	if f.State() != g.State() {
		t.Errorf("two runs differ:\n%s\n%s", f.State(), g.State())
	}
}

func TestCloneIsIndependent(t *testing.T) {
	f := New(Options{ReuseInodes: true})
	story(t, f)
	before := f.State()
	c := f.Clone()
	checkSpace(t, c)

	for set := 0; set < 1<<len(f.Pending()); set += 31 {
		keep := func(i int, _ Change) bool { return set>>i&1 == 1 }
		if got, want := c.AfterPowerCut(keep).Dump(), f.AfterPowerCut(keep).Dump(); got != want {
			t.Fatalf("set %b after a power cut:\n%s\nwant:\n%s", set, got, want)
		}
	}
	// As if every process had been killed.
	f.procs[1].Kill()
	if got, want := c.State(), f.State(); got != want {
		t.Errorf("clone:\n%s\nwant:\n%s", got, want)
	}
	afterKill := f.State()
	file, err := open(t, c.Process(), "/").Open("file", vfs.ReadWrite, 0)
	must(t, err)
	if _, err := file.Write([]byte("DATA")); err != nil { // in place
		t.Fatal(err)
	}
	story(t, freshRoot(t, c))
	c.Settle()
	if f.State() != afterKill {
		t.Errorf("changing the clone changed the original from\n%s\nto\n%s", before, f.State())
	}
}

// freshRoot empties f.
func freshRoot(t *testing.T, f *FS) *FS {
	t.Helper()
	for _, name := range []string{"/b", "/c", "/d", "/fifo", "/file", "/link"} {
		must(t, f.RemoveAll(name))
	}
	return f
}

func TestDurableKeepsNoLog(t *testing.T) {
	f := New(Options{Durable: true})
	story(t, f)
	if left := f.Pending(); len(left) > 0 {
		t.Errorf("pending: %v", left)
	}
	f.procs[1].Kill()
	if got, want := f.AfterPowerCut(nothing).Dump(), f.Dump(); got != want {
		t.Errorf("after a power cut:\n%s\nwant:\n%s", got, want)
	}
}
