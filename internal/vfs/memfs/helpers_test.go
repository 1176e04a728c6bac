package memfs

import (
	"fmt"
	"strings"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

// checkSpace recounts what the volume accounts for, and numbers used twice.
func checkSpace(t *testing.T, f *FS) {
	t.Helper()
	inodes, bytes, used := 0, int64(0), map[uint64]bool{}
	var count func(n *node)
	count = func(n *node) {
		inodes++
		bytes += int64(len(n.data))
		if used[n.ino] {
			t.Errorf("inode number %d is used twice:\n%s", n.ino, f.State())
		}
		used[n.ino] = true
		for _, child := range n.names {
			count(child)
		}
	}
	count(f.root)
	if v := f.volumes[0]; v.inodes != inodes || v.bytes != bytes {
		t.Errorf("accounts for %d inodes, %d bytes; there are %d, %d", v.inodes, v.bytes, inodes, bytes)
	}
}

func pending(f *FS) string {
	var b strings.Builder
	for _, c := range f.Pending() {
		fmt.Fprintln(&b, c)
	}
	return b.String()
}

// wantLines compares line by line without indentation and empty lines.
func wantLines(t *testing.T, what, got, want string) {
	t.Helper()
	if g, w := lines(got), lines(want); g != w {
		t.Errorf("%s:\n%s\nwant:\n%s", what, g, w)
	}
}

func lines(s string) string {
	var list []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return strings.Join(list, "\n")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, fs vfs.FS, path string) vfs.Dir {
	t.Helper()
	d, err := fs.OpenDir(path)
	must(t, err)
	return d
}

func openDir(t *testing.T, parent vfs.Dir, name string) vfs.Dir {
	t.Helper()
	d, err := parent.OpenDir(name)
	must(t, err)
	return d
}

func create(t *testing.T, d vfs.Dir, name string) vfs.File {
	t.Helper()
	file, err := d.Open(name, vfs.Create, 0o600)
	must(t, err)
	return file
}

func openFile(t *testing.T, d vfs.Dir, name string) vfs.File {
	t.Helper()
	file, err := d.Open(name, vfs.Read, 0)
	must(t, err)
	return file
}
