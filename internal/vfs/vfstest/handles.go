package vfstest

import (
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

var handleCases = []testCase{
	{"handles/follow a rename", testHandleFollowsRename},
	{"handles/of a removed directory", testHandleOfRemoved},
	{"handles/of a replaced directory", testHandleOfReplaced},
	{"handles/of a removed file", testRemovedFile},
	{"handles/of a replaced file", testReplacedFile},
	{"handles/keep the inode number", testHandleKeepsNumber},
	{"handles/when a parent moves", testParentMoves},
}

func testHandleFollowsRename(t *testing.T, s *stage) {
	s.make(t, "current/", "current/f=F", "retired/")
	d, retired := s.open(t, "current"), s.open(t, "retired")
	must(t, s.root.Rename("current", retired, "gen", vfs.Plain))
	s.make(t, "current/")
	must(t, d.Mkdir("late", 0o755))
	must(t, vfs.WriteFile(d, "g", []byte("G"), 0o644))
	s.want(t, "current/", "retired/", "retired/gen/", "retired/gen/f=F", "retired/gen/g=G", "retired/gen/late/")
	sameNode(t, d, s.open(t, "retired/gen"))
	if d.Path() != s.join("current") {
		t.Errorf("the handle's path changed to %q", d.Path())
	}
}

func testHandleOfRemoved(t *testing.T, s *stage) {
	s.make(t, "d/", "f")
	d := s.open(t, "d")
	must(t, s.root.Rmdir("d"))
	removedDir(t, s, d)
	s.make(t, "d/")
	removedDir(t, s, d)
	s.want(t, "d/", "f")
}

func testHandleOfReplaced(t *testing.T, s *stage) {
	s.make(t, "old/", "new/", "f")
	d := s.open(t, "old")
	must(t, s.root.Rename("new", s.root, "old", vfs.Plain))
	removedDir(t, s, d)
	s.want(t, "old/", "f")
}

func removedDir(t *testing.T, s *stage, d vfs.Dir) {
	t.Helper()
	_, create := d.Open("x", vfs.Create, 0o644)
	_, open := d.Open("x", vfs.Read, 0)
	_, lstat := d.Lstat("x")
	_, openDir := d.OpenDir("x")
	for what, err := range map[string]error{
		"mkdir": d.Mkdir("x", 0o755), "create": create, "open": open, "lstat": lstat, "opendir": openDir,
		"rename into": s.root.Rename("f", d, "x", vfs.Plain), "rename out": d.Rename("x", s.root, "y", vfs.Plain),
		"remove": d.Remove("x"), "rmdir": d.Rmdir("x"),
	} {
		wantErr(t, what+" in a removed directory", err, syscall.ENOENT)
	}
	if names, err := d.Names(0); len(names) != 0 || err != nil && !vfs.IsVanished(err) {
		t.Errorf("names in a removed directory: %v, %v", names, err)
	}
	if info, err := d.Stat(); err != nil || !info.IsDir() {
		t.Errorf("stat of a removed directory: %v, %v", info.Mode, err)
	}
	must(t, d.Chmod(0o700))
}

func testRemovedFile(t *testing.T, s *stage) {
	s.make(t, "f=text")
	f, err := s.root.Open("f", vfs.ReadWrite, 0)
	must(t, err)
	defer closing(t, f)
	must(t, s.root.Remove("f"))
	info, err := f.Stat()
	if err != nil || info.Nlink != 0 || info.Size != 4 {
		t.Errorf("removed file: %d links, %d bytes, %v", info.Nlink, info.Size, err)
	}
	buf := make([]byte, 10)
	if n, err := f.Read(buf); string(buf[:n]) != "text" || err != nil {
		t.Errorf("read of a removed file: %q, %v", buf[:n], err)
	}
	_, err = f.Write([]byte("more"))
	must(t, err)
	must(t, f.Flock(vfs.Exclusive))
	s.want(t)
}

func testReplacedFile(t *testing.T, s *stage) {
	s.make(t, "a=A", "b=B")
	f, err := s.root.Open("b", vfs.Read, 0)
	must(t, err)
	defer closing(t, f)
	must(t, s.root.Rename("a", s.root, "b", vfs.Plain))
	buf := make([]byte, 10)
	if n, err := f.Read(buf); string(buf[:n]) != "B" || err != nil {
		t.Errorf("read of a replaced file: %q, %v", buf[:n], err)
	}
	s.want(t, "b=A")
}

// As long as a handle is open nobody else gets its number, so that comparing
// identities means something.
func testHandleKeepsNumber(t *testing.T, s *stage) {
	s.make(t, "d/", "f")
	d := s.open(t, "d")
	f, err := s.root.Open("f", vfs.Read, 0)
	must(t, err)
	defer closing(t, f)
	dir, err := d.Stat()
	must(t, err)
	file, err := f.Stat()
	must(t, err)
	must(t, s.root.Rmdir("d"))
	must(t, s.root.Remove("f"))
	for _, name := range []string{"1", "2", "3", "4"} {
		s.make(t, name+"/", name+"f")
		for _, name := range []string{name, name + "f"} {
			info, err := s.root.Lstat(name)
			must(t, err)
			if info.ID() == dir.ID() || info.ID() == file.ID() {
				t.Fatalf("%s got the number of an open inode: %v", name, info.ID())
			}
		}
	}
}

// Rule 14: the path through a retired generation is gone, a handle is not.
func testParentMoves(t *testing.T, s *stage) {
	s.make(t, "current/", "current/stage/", "current/stage/tool=T")
	stage := s.open(t, "current/stage")
	must(t, s.root.Rename("current", s.root, "retired", vfs.Plain))
	_, err := s.fs.OpenDir(s.join("current/stage"))
	wantErr(t, "by path", err, syscall.ENOENT)
	wantErr(t, "rename by path", s.fs.Rename(s.join("current/stage/tool"), s.join("tool"), vfs.Plain), syscall.ENOENT)
	_, err = stage.Lstat("tool")
	must(t, err)
	must(t, stage.Rename("tool", s.root, "tool", vfs.Plain))
	s.want(t, "retired/", "retired/stage/", "tool=T")
}
