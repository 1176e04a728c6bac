// Package vfstest is the one conformance suite for implementations of vfs.FS.
//
// It runs on the operating system's file systems and on the model, so that the
// two cannot drift apart: what a test over the model shows holds for the real
// thing as far as this suite says so. Compare goes further, and holds two
// implementations against each other over random operations.
package vfstest

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

// Run checks that the file systems which newFS returns keep the promises of
// package vfs with the semantics of Linux. Each case gets a new one, and an
// empty directory in it. What the interface cannot set up is asked of the
// optional interfaces in stage.go; a case that needs one which fs does not have
// is skipped with the reason.
func Run(t *testing.T, newFS func(t *testing.T) (fs vfs.FS, dir string)) {
	for _, c := range slices.Concat(nameCases, fileCases, renameCases, handleCases, linkCases, flockCases, rightsCases, limitCases) {
		t.Run(c.name, func(t *testing.T) {
			fs, dir := newFS(t)
			root, err := fs.OpenParent(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer closing(t, root)
			c.run(t, &stage{fs: fs, path: dir, root: root})
		})
	}
}

type testCase struct {
	name string
	run  func(t *testing.T, s *stage)
}

// stage is the file system of one case, and its empty directory.
type stage struct {
	fs   vfs.FS
	path string
	root vfs.Dir
}

func (s *stage) join(name string) string { return filepath.Join(s.path, name) }

// make puts things into the directory: "d/" is a directory, "d/f=text" a file,
// "l->target" a link and "p|" a fifo.
func (s *stage) make(t *testing.T, things ...string) {
	t.Helper()
	for _, thing := range things {
		switch {
		case strings.Contains(thing, "->"):
			name, target, _ := strings.Cut(thing, "->")
			must(t, s.planter(t).Symlink(target, s.join(name)))
		case strings.HasSuffix(thing, "|"):
			must(t, s.planter(t).Fifo(s.join(strings.TrimSuffix(thing, "|"))))
		case strings.HasSuffix(thing, "/"):
			at, name := s.parent(t, strings.TrimSuffix(thing, "/"))
			must(t, at.Mkdir(name, 0o755))
			closing(t, at)
		default:
			path, text, _ := strings.Cut(thing, "=")
			at, name := s.parent(t, path)
			must(t, vfs.WriteFile(at, name, []byte(text), 0o644))
			closing(t, at)
		}
	}
}

func (s *stage) parent(t *testing.T, path string) (vfs.Dir, string) {
	t.Helper()
	d, err := s.fs.OpenParent(filepath.Join(s.path, filepath.Dir(path)))
	must(t, err)
	return d, filepath.Base(path)
}

func (s *stage) open(t *testing.T, path string) vfs.Dir {
	t.Helper()
	d, err := s.fs.OpenDir(s.join(path))
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// want compares everything in the directory, in the notation of make, with
// links as "l@".
func (s *stage) want(t *testing.T, things ...string) {
	t.Helper()
	got := tree(t, s.root, "")
	slices.Sort(things)
	if !slices.Equal(got, things) {
		t.Errorf("there is\n\t%s\nwant\n\t%s", strings.Join(got, " "), strings.Join(things, " "))
	}
}

// tree lists what is below d, sorted.
func tree(t *testing.T, d vfs.Dir, prefix string) []string {
	t.Helper()
	names, err := d.Names(0)
	must(t, err)
	var list []string
	for _, name := range names {
		info, err := d.Lstat(name)
		must(t, err)
		path := prefix + name
		switch {
		case info.IsDir():
			sub, err := d.OpenDir(name)
			must(t, err)
			list = append(list, path+"/")
			list = append(list, tree(t, sub, path+"/")...)
			closing(t, sub)
		case info.IsRegular():
			text, err := vfs.ReadFile(d, name, 1<<16)
			must(t, err)
			if len(text) > 0 {
				path += "=" + string(text)
			}
			list = append(list, path)
		default:
			list = append(list, path+oddMark(info))
		}
	}
	slices.Sort(list)
	return list
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantErr wants any of the errors; nil among them is success.
func wantErr(t *testing.T, what string, err error, any ...error) {
	t.Helper()
	for _, want := range any {
		if errors.Is(err, want) {
			return
		}
	}
	t.Errorf("%s: got %v, want %v", what, err, any)
}

func closing(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
