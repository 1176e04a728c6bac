package vfstest

import (
	"io/fs"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

var linkCases = []testCase{
	{"links/are not followed", testLinksNotFollowed},
	{"links/in a name's place", testLinkInPlace},
	{"links/in parents of a path", testLinksInParents},
	{"links/loop", testLinkLoop},
	{"links/removal", testRemoveLink},
}

func testLinksNotFollowed(t *testing.T, s *stage) {
	s.make(t, "d/", "d/f=F", "todir->d", "tofile->d/f", "dangling->nowhere")
	for _, name := range []string{"todir", "tofile", "dangling"} {
		info, err := s.root.Lstat(name)
		must(t, err)
		if info.Mode.Type() != fs.ModeSymlink {
			t.Errorf("lstat of %s says %v", name, info.Mode)
		}
		if info, err = s.fs.Lstat(s.join(name)); err != nil || info.Mode.Type() != fs.ModeSymlink {
			t.Errorf("lstat of %s by path says %v, %v", name, info.Mode, err)
		}
		_, err = s.root.OpenDir(name)
		wantErr(t, "opendir of "+name, err, syscall.ENOTDIR, syscall.ELOOP)
		if !vfs.IsNotDir(err) {
			t.Errorf("IsNotDir(%v) is false", err)
		}
		_, err = s.fs.OpenDir(s.join(name))
		wantErr(t, "opendir of "+name+" by path", err, syscall.ENOTDIR, syscall.ELOOP)
		for _, how := range []vfs.OpenFlag{vfs.Read, vfs.ReadWrite} {
			_, err = s.root.Open(name, how, 0)
			wantErr(t, "open of "+name, err, syscall.ELOOP, syscall.EMLINK)
		}
		_, err = vfs.ReadFile(s.root, name, 10)
		wantErr(t, "ReadFile of "+name, err, vfs.ErrNotRegular)
	}
}

func testLinkInPlace(t *testing.T, s *stage) {
	s.make(t, "link->nowhere")
	_, err := s.root.Open("link", vfs.Create, 0o644)
	wantErr(t, "create", err, syscall.EEXIST)
	wantErr(t, "mkdir", s.root.Mkdir("link", 0o755), syscall.EEXIST)
	_, err = s.root.Lstat("nowhere")
	wantErr(t, "what the link leads to", err, syscall.ENOENT)
	s.want(t, "link@")
}

// The directory that a caller chose may be a link, and so may its parents.
func testLinksInParents(t *testing.T, s *stage) {
	s.make(t, "d/", "d/sub/", "d/sub/f=F", "link->d", "up/", "up/link->../link/sub")
	d, err := s.fs.OpenParent(s.join("link"))
	must(t, err)
	defer closing(t, d)
	sameNode(t, d, s.open(t, "d"))
	sub, err := s.fs.OpenDir(s.join("link/sub"))
	must(t, err)
	defer closing(t, sub)
	up, err := s.fs.OpenParent(s.join("up/link"))
	must(t, err)
	defer closing(t, up)
	sameNode(t, up, sub)
	_, err = s.fs.Lstat(s.join("up/link/f"))
	must(t, err)
	must(t, s.fs.Rename(s.join("link/sub/f"), s.join("up/link/g"), vfs.Plain))
	s.want(t, "d/", "d/sub/", "d/sub/g=F", "link@", "up/", "up/link@")
}

func testLinkLoop(t *testing.T, s *stage) {
	s.make(t, "a->b", "b->a")
	_, err := s.fs.OpenParent(s.join("a"))
	wantErr(t, "openparent", err, syscall.ELOOP)
	_, err = s.fs.Lstat(s.join("a/x"))
	wantErr(t, "lstat", err, syscall.ELOOP)
}

func testRemoveLink(t *testing.T, s *stage) {
	s.make(t, "d/", "d/f=F", "todir->d", "again->d")
	wantErr(t, "rmdir", s.root.Rmdir("todir"), syscall.ENOTDIR)
	must(t, s.root.Remove("todir"))
	must(t, vfs.RemoveAll(s.root, "again", nil))
	s.want(t, "d/", "d/f=F")
}
