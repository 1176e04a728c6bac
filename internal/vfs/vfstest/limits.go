package vfstest

import (
	"bytes"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

var limitCases = []testCase{
	{"limits/no inodes", testNoInodes},
	{"limits/no space", testNoSpace},
	{"limits/read only", testReadOnly},
}

func testNoInodes(t *testing.T, s *stage) {
	under, dir := need[Limiter](t, s.fs, "be made small").Limited(t, 1<<20, 3)
	d := in(t, under, dir)
	defer closing(t, d)
	must(t, d.Mkdir("a", 0o755))
	must(t, d.Mkdir("b", 0o755))
	must(t, vfs.WriteFile(d, "c", nil, 0o644))
	_, create := d.Open("x", vfs.Create, 0o644)
	for what, err := range map[string]error{"mkdir": d.Mkdir("x", 0o755), "create": create} {
		if !vfs.IsNoSpace(err) {
			t.Errorf("%s without an inode left: %v", what, err)
		}
	}
	must(t, d.Rename("a", d, "z", vfs.Plain)) // takes none
	must(t, d.Rename("c", d, "y", vfs.Plain))
	must(t, d.Rmdir("z"))
	must(t, d.Mkdir("x", 0o755))
}

func testNoSpace(t *testing.T, s *stage) {
	const fits = 16 * 4096
	under, dir := need[Limiter](t, s.fs, "be made small").Limited(t, fits, 10)
	d := in(t, under, dir)
	defer closing(t, d)
	f, err := d.Open("f", vfs.Create, 0o644)
	must(t, err)
	n, err := f.Write(bytes.Repeat([]byte("x"), 2*fits))
	if n != fits || !vfs.IsNoSpace(err) {
		t.Errorf("wrote %d of %d bytes into %d: %v", n, 2*fits, fits, err)
	}
	must(t, d.Mkdir("d", 0o755))
	must(t, d.Rename("f", d, "g", vfs.Plain))
	err = vfs.WriteFile(d, "record", []byte("text"), 0o644)
	if !vfs.IsNoSpace(err) {
		t.Errorf("a record on a full disk: %v", err)
	}
	must(t, d.Remove("g"))
	if err := vfs.WriteFile(d, "record2", []byte("text"), 0o644); !vfs.IsNoSpace(err) {
		t.Errorf("a removed file that is open holds no space: %v", err)
	}
	closing(t, f)
	must(t, vfs.WriteFile(d, "record3", []byte("text"), 0o644))
}

func testReadOnly(t *testing.T, s *stage) {
	under, dir := need[Sealer](t, s.fs, "be made read-only").Sealed(t, func(under vfs.FS, dir string) {
		d := in(t, under, dir)
		defer closing(t, d)
		must(t, d.Mkdir("d", 0o755))
		must(t, vfs.WriteFile(d, "f", []byte("text"), 0o644))
	})
	d := in(t, under, dir)
	defer closing(t, d)
	_, create := d.Open("x", vfs.Create, 0o644)
	_, rw := d.Open("f", vfs.ReadWrite, 0)
	for what, err := range map[string]error{
		"mkdir": d.Mkdir("x", 0o755), "create": create, "open rw": rw, "chmod": d.Chmod(0o700),
		"remove": d.Remove("f"), "remove of nothing": d.Remove("x"),
		"rmdir": d.Rmdir("d"), "rename": d.Rename("d", d, "e", vfs.Plain), "rename of nothing": d.Rename("x", d, "e", vfs.Plain),
	} {
		if !vfs.IsReadOnly(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	text, err := vfs.ReadFile(d, "f", 10)
	if string(text) != "text" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
	f, err := d.Open("f", vfs.Read, 0)
	must(t, err)
	defer closing(t, f)
	must(t, f.Flock(vfs.Shared))
}
