package vfstest

import (
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

var nameCases = []testCase{
	{"names/mkdir", testMkdir},
	{"names/create", testCreate},
	{"names/missing", testMissing},
	{"names/opendir", testOpenDir},
	{"names/remove", testRemove},
	{"names/list", testNames},
	{"names/too long", testTooLong},
	{"names/errors name the path", testErrorShape},
	{"names/a trailing slash follows no link", testTrailingSlash},
}

func testMkdir(t *testing.T, s *stage) {
	s.make(t, "d/", "f")
	wantErr(t, "mkdir of a directory", s.root.Mkdir("d", 0o755), syscall.EEXIST)
	wantErr(t, "mkdir of a file", s.root.Mkdir("f", 0o755), syscall.EEXIST)
	info, err := s.root.Lstat("d")
	must(t, err)
	if !info.IsDir() || info.IsRegular() {
		t.Errorf("a new directory has mode %v", info.Mode)
	}
	s.want(t, "d/", "f")
}

func testCreate(t *testing.T, s *stage) {
	s.make(t, "d/", "f=text")
	for _, name := range []string{"d", "f"} {
		_, err := s.root.Open(name, vfs.Create, 0o644)
		wantErr(t, "create of "+name, err, syscall.EEXIST)
	}
	info, err := s.root.Lstat("f")
	must(t, err)
	if !info.IsRegular() || info.Size != 4 || info.Nlink != 1 {
		t.Errorf("a file of 4 bytes has mode %v, size %d, %d links", info.Mode, info.Size, info.Nlink)
	}
	s.want(t, "d/", "f=text")
}

func testMissing(t *testing.T, s *stage) {
	_, lstat := s.root.Lstat("x")
	_, open := s.root.Open("x", vfs.Read, 0)
	_, rw := s.root.Open("x", vfs.ReadWrite, 0)
	_, openDir := s.root.OpenDir("x")
	_, path := s.fs.OpenDir(s.join("x"))
	_, parent := s.fs.OpenParent(s.join("x"))
	_, deep := s.fs.Lstat(s.join("x/y"))
	for what, err := range map[string]error{
		"lstat": lstat, "open": open, "open rw": rw, "opendir": openDir, "opendir by path": path,
		"openparent": parent, "lstat below": deep,
		"remove": s.root.Remove("x"), "rmdir": s.root.Rmdir("x"),
		"rename":         s.root.Rename("x", s.root, "y", vfs.Plain),
		"rename by path": s.fs.Rename(s.join("x"), s.join("y"), vfs.Plain),
	} {
		wantErr(t, what+" of nothing", err, syscall.ENOENT)
		if !vfs.IsVanished(err) {
			t.Errorf("%s: IsVanished(%v) is false", what, err)
		}
	}
	s.want(t)
}

func testOpenDir(t *testing.T, s *stage) {
	s.make(t, "d/", "d/f=text", "f")
	_, err := s.root.OpenDir("f")
	wantErr(t, "opendir of a file", err, syscall.ENOTDIR)
	_, err = s.fs.OpenDir(s.join("f"))
	wantErr(t, "opendir of a file by path", err, syscall.ENOTDIR)
	_, err = s.fs.Lstat(s.join("f/x"))
	wantErr(t, "lstat below a file", err, syscall.ENOTDIR)

	d := s.open(t, "d")
	if d.Path() != s.join("d") {
		t.Errorf("path %q, want %q", d.Path(), s.join("d"))
	}
	byName, err := s.root.OpenDir("d")
	must(t, err)
	defer closing(t, byName)
	if byName.Path() != s.join("d") {
		t.Errorf("path %q, want %q", byName.Path(), s.join("d"))
	}
	sameNode(t, d, byName)
	_, err = d.Lstat("f")
	must(t, err)
	if _, err := d.Kind(); err != nil {
		t.Errorf("kind: %v", err)
	}
}

func testRemove(t *testing.T, s *stage) {
	s.make(t, "empty/", "full/", "full/f", "f")
	wantErr(t, "remove of a directory", s.root.Remove("empty"), syscall.EISDIR, syscall.EPERM)
	wantErr(t, "rmdir of a file", s.root.Rmdir("f"), syscall.ENOTDIR)
	err := s.root.Rmdir("full")
	if !vfs.IsNotEmpty(err) {
		t.Errorf("rmdir of a directory with a file: %v", err)
	}
	s.want(t, "empty/", "full/", "full/f", "f")
	must(t, s.root.Rmdir("empty"))
	must(t, s.root.Remove("f"))
	s.want(t, "full/", "full/f")
	must(t, vfs.RemoveAll(s.root, "full", nil))
	s.want(t)
}

func testNames(t *testing.T, s *stage) {
	s.make(t, "a/", "b", "c", "d/")
	for range 2 { // from the beginning every time
		names, err := s.root.Names(0)
		must(t, err)
		slices.Sort(names)
		if got := strings.Join(names, " "); got != "a b c d" {
			t.Errorf("names %q", got)
		}
	}
	names, err := s.root.Names(3)
	if len(names) != 3 || err != nil {
		t.Errorf("at most 3 names: %v, %v", names, err)
	}
	names, err = s.open(t, "a").Names(0)
	if len(names) != 0 || err != nil {
		t.Errorf("names in an empty directory: %v, %v", names, err)
	}
	if names, err = s.open(t, "a").Names(1); len(names) != 0 || err != nil {
		t.Errorf("at most 1 name in an empty directory: %v, %v", names, err)
	}
}

func testTooLong(t *testing.T, s *stage) {
	fits, long := strings.Repeat("x", 255), strings.Repeat("x", 256)
	must(t, s.root.Mkdir(fits, 0o755))
	_, lstat := s.root.Lstat(long)
	_, create := s.root.Open(long, vfs.Create, 0o644)
	for what, err := range map[string]error{
		"mkdir": s.root.Mkdir(long, 0o755), "lstat": lstat, "create": create,
		"rename": s.root.Rename(fits, s.root, long, vfs.Plain),
	} {
		wantErr(t, what, err, syscall.ENAMETOOLONG)
	}
	s.want(t, fits+"/")
}

func testErrorShape(t *testing.T, s *stage) {
	_, err := s.root.Lstat("x")
	path, ok := err.(*fs.PathError)
	if !ok || path.Path != s.join("x") || path.Op != "lstat" {
		t.Errorf("lstat: %#v", err)
	}
	err = s.root.Rename("x", s.root, "y", vfs.Plain)
	if want := "rename " + s.join("x") + " " + s.join("y") + ": "; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("rename says %q, want it to begin with %q", err, want)
	}
}

func testTrailingSlash(t *testing.T, s *stage) {
	s.make(t, "d/", "d/f", "l->d")
	_, err := s.fs.OpenDir(s.join("l") + "/")
	if !vfs.IsNotDir(err) {
		t.Errorf("opendir of a link with a slash at its end: %v", err)
	}
	info, err := s.fs.Lstat(s.join("l") + "/")
	if err == nil && info.Mode&fs.ModeSymlink == 0 {
		t.Errorf("lstat of a link with a slash at its end follows it: %v", info.Mode)
	}
	d, err := s.fs.OpenDir(s.join("d") + "/")
	must(t, err)
	closing(t, d)
}

func sameNode(t *testing.T, a, b vfs.Dir) {
	t.Helper()
	x, err := a.Stat()
	must(t, err)
	y, err := b.Stat()
	must(t, err)
	if x.ID() != y.ID() {
		t.Errorf("%s and %s are not the same directory", a.Path(), b.Path())
	}
}
