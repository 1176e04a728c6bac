package vfstest

import (
	"io/fs"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

var rightsCases = []testCase{
	{"rights/umask and owner", testUmaskAndOwner},
	{"rights/directories", testDirectoryRights},
	{"rights/files", testFileRights},
	{"rights/sticky", testSticky},
	{"rights/moving a directory", testMoveNeedsWrite},
	{"rights/group directory", testGroupDirectory},
	{"rights/chmod", testChmodRights},
}

const (
	alice = 4001
	bob   = 4002
	team  = 4100
)

// share opens the case's directory to everybody.
func share(t *testing.T, s *stage) {
	t.Helper()
	must(t, s.root.Chmod(0o777))
}

// in opens a directory for another user, or fails.
func in(t *testing.T, under vfs.FS, path string) vfs.Dir {
	t.Helper()
	d, err := under.OpenParent(path)
	must(t, err)
	return d
}

func testUmaskAndOwner(t *testing.T, s *stage) {
	share(t, s)
	s.as(t, alice, team, 0o027, func(under vfs.FS) {
		d := in(t, under, s.path)
		defer closing(t, d)
		must(t, d.Mkdir("d", 0o777))
		must(t, vfs.WriteFile(d, "f", nil, 0o666))
		for name, want := range map[string]fs.FileMode{"d": fs.ModeDir | 0o750, "f": 0o640} {
			info, err := d.Lstat(name)
			if err != nil || info.Mode != want || info.UID != alice || info.GID != team {
				t.Errorf("%s: %v of %d:%d, %v", name, info.Mode, info.UID, info.GID, err)
			}
		}
	})
}

func testDirectoryRights(t *testing.T, s *stage) {
	share(t, s)
	s.make(t, "closed/", "closed/f", "listed/", "listed/f", "searched/", "searched/f", "fixed/", "fixed/f")
	must(t, s.open(t, "closed").Chmod(0o700))
	must(t, s.open(t, "listed").Chmod(0o704))
	must(t, s.open(t, "searched").Chmod(0o701))
	must(t, s.open(t, "fixed").Chmod(0o755))
	s.as(t, alice, team, 0o022, func(under vfs.FS) {
		root := in(t, under, s.path)
		defer closing(t, root)
		for _, name := range []string{"closed", "searched"} {
			_, err := root.OpenDir(name)
			wantErr(t, "opendir of "+name, err, syscall.EACCES)
		}
		listed := in(t, under, s.join("listed"))
		defer closing(t, listed)
		_, err := listed.Lstat("f")
		wantErr(t, "lstat without the right to search", err, syscall.EACCES)
		_, err = under.Lstat(s.join("searched/f"))
		wantErr(t, "lstat with the right to search", err, nil)
		_, err = under.Lstat(s.join("closed/f"))
		wantErr(t, "lstat in a closed directory", err, syscall.EACCES)

		fixed := in(t, under, s.join("fixed"))
		defer closing(t, fixed)
		_, create := fixed.Open("x", vfs.Create, 0o644)
		_, exists := fixed.Open("f", vfs.Create, 0o644)
		wantErr(t, "create of what exists, without the right to write", exists, syscall.EEXIST)
		must(t, root.Mkdir("mine", 0o755))
		for what, err := range map[string]error{
			"mkdir": fixed.Mkdir("x", 0o755), "create": create, "remove": fixed.Remove("f"),
			"rename in": root.Rename("mine", fixed, "x", vfs.Plain), "rename out": fixed.Rename("f", root, "x", vfs.Plain),
			"rename within": fixed.Rename("f", fixed, "x", vfs.Plain),
		} {
			wantErr(t, what+" without the right to write", err, syscall.EACCES)
		}
		wantErr(t, "remove of nothing", fixed.Remove("x"), syscall.ENOENT)
	})
}

func testFileRights(t *testing.T, s *stage) {
	share(t, s)
	s.make(t, "f=F")
	f, err := s.root.Open("f", vfs.Read, 0)
	must(t, err)
	defer closing(t, f)
	for mode, want := range map[fs.FileMode][2]error{
		0o600: {syscall.EACCES, syscall.EACCES},
		0o604: {nil, syscall.EACCES},
		0o606: {nil, nil},
	} {
		must(t, f.Chmod(mode))
		s.as(t, alice, team, 0o022, func(under vfs.FS) {
			root := in(t, under, s.path)
			defer closing(t, root)
			for i, how := range []vfs.OpenFlag{vfs.Read, vfs.ReadWrite} {
				g, err := root.Open("f", how, 0)
				wantErr(t, mode.String(), err, want[i])
				if err == nil {
					must(t, g.Flock(vfs.Shared))
					closing(t, g)
				}
			}
		})
	}
}

func testSticky(t *testing.T, s *stage) {
	must(t, s.root.Chmod(0o777|fs.ModeSticky))
	s.as(t, alice, team, 0, func(under vfs.FS) {
		root := in(t, under, s.path)
		defer closing(t, root)
		must(t, root.Mkdir("hers", 0o777))
		must(t, root.Mkdir("also", 0o777))
	})
	s.as(t, bob, team, 0, func(under vfs.FS) {
		root := in(t, under, s.path)
		defer closing(t, root)
		must(t, root.Mkdir("his", 0o777))
		for what, err := range map[string]error{
			"rmdir":    root.Rmdir("hers"),
			"rename":   root.Rename("hers", root, "x", vfs.Plain),
			"replace":  root.Rename("his", root, "hers", vfs.Plain),
			"exchange": root.Rename("his", root, "hers", vfs.Exchange),
		} {
			wantErr(t, what+" of a foreign name", err, syscall.EPERM)
		}
		must(t, root.Rmdir("his"))
	})
	s.as(t, alice, team, 0, func(under vfs.FS) {
		root := in(t, under, s.path)
		defer closing(t, root)
		must(t, root.Rename("hers", root, "also", vfs.Plain))
		also := in(t, under, s.join("also"))
		defer closing(t, also)
		must(t, also.Chmod(0o777|fs.ModeSticky))
	})
	s.as(t, bob, team, 0, func(under vfs.FS) {
		also := in(t, under, s.join("also"))
		defer closing(t, also)
		must(t, also.Mkdir("his", 0o777))
	})
	s.as(t, alice, team, 0, func(under vfs.FS) {
		also := in(t, under, s.join("also"))
		defer closing(t, also)
		must(t, also.Rmdir("his")) // the directory is hers
	})
	s.want(t, "also/")
}

// A directory that gets another parent must be writable itself.
func testMoveNeedsWrite(t *testing.T, s *stage) {
	share(t, s)
	s.make(t, "theirs/", "to/")
	must(t, s.open(t, "theirs").Chmod(0o755))
	must(t, s.open(t, "to").Chmod(0o777))
	s.as(t, alice, team, 0o022, func(under vfs.FS) {
		root, to := in(t, under, s.path), in(t, under, s.join("to"))
		defer closing(t, root)
		defer closing(t, to)
		wantErr(t, "to another parent", root.Rename("theirs", to, "x", vfs.Plain), syscall.EACCES)
		wantErr(t, "within its parent", root.Rename("theirs", root, "renamed", vfs.Plain), nil)
	})
	s.want(t, "renamed/", "to/")
}

func testGroupDirectory(t *testing.T, s *stage) {
	share(t, s)
	s.as(t, alice, team, 0, func(under vfs.FS) {
		root := in(t, under, s.path)
		defer closing(t, root)
		must(t, root.Mkdir("shared", 0o770))
		d := in(t, under, s.join("shared"))
		defer closing(t, d)
		must(t, d.Chmod(0o777|fs.ModeSetgid))
	})
	s.as(t, bob, bob, 0, func(under vfs.FS) {
		d := in(t, under, s.join("shared"))
		defer closing(t, d)
		must(t, d.Mkdir("d", 0o755))
		must(t, vfs.WriteFile(d, "f", nil, 0o644))
		for name, want := range map[string]fs.FileMode{"d": fs.ModeDir | fs.ModeSetgid | 0o755, "f": 0o644} {
			info, err := d.Lstat(name)
			if err != nil || info.Mode != want || info.GID != team || info.UID != bob {
				t.Errorf("%s: %v of %d:%d, %v", name, info.Mode, info.UID, info.GID, err)
			}
		}
	})
}

func testChmodRights(t *testing.T, s *stage) {
	share(t, s)
	s.make(t, "d/", "f")
	s.as(t, alice, team, 0o022, func(under vfs.FS) {
		d := in(t, under, s.join("d"))
		defer closing(t, d)
		wantErr(t, "chmod of a foreign directory", d.Chmod(0o777), syscall.EPERM)
		root := in(t, under, s.path)
		defer closing(t, root)
		f, err := root.Open("f", vfs.Read, 0)
		must(t, err)
		defer closing(t, f)
		wantErr(t, "chmod of a foreign file", f.Chmod(0o666), syscall.EPERM)
	})
}
