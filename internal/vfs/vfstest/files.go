package vfstest

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

var fileCases = []testCase{
	{"files/read and write", testReadWrite},
	{"files/rewrite in place", testRewrite},
	{"files/truncate", testTruncate},
	{"files/write at a place", testWriteAt},
	{"files/read only descriptor", testReadOnlyDescriptor},
	{"files/read empty", testReadEmpty},
	{"files/open directory", testOpenDirectoryAsFile},
	{"files/fifo", testFifo},
	{"files/chmod", testChmod},
	{"files/ReadFile and WriteFile", testWholeFiles},
	{"files/modification time", testModTime},
}

func testReadWrite(t *testing.T, s *stage) {
	f, err := s.root.Open("f", vfs.Create, 0o644)
	must(t, err)
	defer closing(t, f)
	for _, part := range []string{"one ", "two"} {
		if n, err := f.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("write of %q: %d, %v", part, n, err)
		}
	}
	must(t, f.Sync())
	info, err := f.Stat()
	must(t, err)
	if info.Size != 7 {
		t.Errorf("size %d, want 7", info.Size)
	}
	named, err := s.root.Lstat("f")
	must(t, err)
	if named.ID() != info.ID() {
		t.Errorf("name and file differ: %v, %v", named.ID(), info.ID())
	}

	g, err := s.root.Open("f", vfs.Read, 0)
	must(t, err)
	defer closing(t, g)
	buf := make([]byte, 4)
	for _, want := range []string{"one ", "two"} {
		n, err := io.ReadFull(g, buf[:len(want)])
		if string(buf[:n]) != want || err != nil {
			t.Errorf("read %q, %v, want %q", buf[:n], err, want)
		}
	}
	if n, err := g.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("read at the end: %d, %v", n, err)
	}
}

// A write over what is there leaves the rest, and can make a file longer.
func testWriteAt(t *testing.T, s *stage) {
	s.make(t, "f=first text")
	f, err := s.root.Open("f", vfs.ReadWrite, 0)
	must(t, err)
	defer closing(t, f)
	for _, c := range []struct {
		off        int64
		text, want string
	}{{6, "word", "first word"}, {0, "FIRST", "FIRST word"}, {0, "", "FIRST word"}, {10, "s", "FIRST words"}} {
		if n, err := f.WriteAt([]byte(c.text), c.off); n != len(c.text) || err != nil {
			t.Fatalf("write of %q at %d: %d, %v", c.text, c.off, n, err)
		}
		s.want(t, "f="+c.want)
	}
	g, err := s.root.Open("f", vfs.Read, 0)
	must(t, err)
	defer closing(t, g)
	_, err = g.WriteAt([]byte("x"), 0)
	wantErr(t, "write at a place of a file open for reading", err, syscall.EBADF)
	s.want(t, "f=FIRST words")
}

// A new description starts at the beginning and truncates nothing.
func testRewrite(t *testing.T, s *stage) {
	s.make(t, "f=first text")
	f, err := s.root.Open("f", vfs.ReadWrite, 0)
	must(t, err)
	_, err = f.Write([]byte("again"))
	must(t, err)
	closing(t, f)
	s.want(t, "f=again text")
}

// Opening empties the file, before anything is written.
func testTruncate(t *testing.T, s *stage) {
	s.make(t, "f=first text")
	f, err := s.root.Open("f", vfs.Truncate, 0)
	must(t, err)
	s.want(t, "f")
	_, err = f.Write([]byte("again"))
	must(t, err)
	closing(t, f)
	s.want(t, "f=again")
	_, err = s.root.Open("none", vfs.Truncate, 0)
	wantErr(t, "truncation of what is not there", err, syscall.ENOENT)
	s.make(t, "d/")
	_, err = s.root.Open("d", vfs.Truncate, 0)
	wantErr(t, "truncation of a directory", err, syscall.EISDIR)
}

func testReadOnlyDescriptor(t *testing.T, s *stage) {
	s.make(t, "f=text")
	f, err := s.root.Open("f", vfs.Read, 0)
	must(t, err)
	defer closing(t, f)
	_, err = f.Write([]byte("x"))
	wantErr(t, "write to a file open for reading", err, syscall.EBADF)
	must(t, f.Sync())
	s.want(t, "f=text")
}

func testReadEmpty(t *testing.T, s *stage) {
	s.make(t, "f")
	f, err := s.root.Open("f", vfs.Read, 0)
	must(t, err)
	defer closing(t, f)
	if n, err := f.Read(nil); n != 0 || err != nil {
		t.Errorf("read of nothing: %d, %v", n, err)
	}
	if n, err := f.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("read of an empty file: %d, %v", n, err)
	}
}

func testOpenDirectoryAsFile(t *testing.T, s *stage) {
	s.make(t, "d/")
	_, err := s.root.Open("d", vfs.ReadWrite, 0)
	wantErr(t, "open of a directory for writing", err, syscall.EISDIR)
	f, err := s.root.Open("d", vfs.Read, 0)
	must(t, err)
	defer closing(t, f)
	info, err := f.Stat()
	must(t, err)
	if !info.IsDir() {
		t.Errorf("mode %v", info.Mode)
	}
	_, err = f.Read(make([]byte, 1))
	wantErr(t, "read of a directory", err, syscall.EISDIR)
	_, err = vfs.ReadFile(s.root, "d", 10)
	wantErr(t, "ReadFile of a directory", err, vfs.ErrNotRegular)
}

// A fifo in a record's place hangs nobody.
func testFifo(t *testing.T, s *stage) {
	s.make(t, "p|")
	info, err := s.root.Lstat("p")
	must(t, err)
	if info.Mode.Type() != fs.ModeNamedPipe {
		t.Errorf("a fifo has mode %v", info.Mode)
	}
	f, err := s.root.Open("p", vfs.Read, 0)
	must(t, err)
	if n, err := f.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("read of a fifo without a writer: %d, %v", n, err)
	}
	closing(t, f)
	f, err = s.root.Open("p", vfs.ReadWrite, 0)
	must(t, err)
	_, err = f.Read(make([]byte, 1))
	wantErr(t, "read of an empty fifo", err, syscall.EAGAIN)
	closing(t, f)
	_, err = vfs.ReadFile(s.root, "p", 10)
	wantErr(t, "ReadFile of a fifo", err, vfs.ErrNotRegular)
	must(t, s.root.Remove("p"))
}

func testChmod(t *testing.T, s *stage) {
	s.make(t, "d/", "f")
	d := s.open(t, "d")
	f, err := s.root.Open("f", vfs.Read, 0)
	must(t, err)
	defer closing(t, f)
	must(t, d.Chmod(0o750|fs.ModeSticky))
	must(t, f.Chmod(0o640))
	for name, want := range map[string]fs.FileMode{"d": fs.ModeDir | fs.ModeSticky | 0o750, "f": 0o640} {
		if info, err := s.root.Lstat(name); err != nil || info.Mode != want {
			t.Errorf("%s has mode %v, want %v (%v)", name, info.Mode, want, err)
		}
	}
	must(t, d.Chmod(0o700))
	if info, err := d.Stat(); err != nil || info.Mode != fs.ModeDir|0o700 {
		t.Errorf("the sticky bit stays: %v, %v", info.Mode, err)
	}
}

func testWholeFiles(t *testing.T, s *stage) {
	must(t, vfs.WriteFile(s.root, "f", []byte("text"), 0o600))
	wantErr(t, "WriteFile over a file", vfs.WriteFile(s.root, "f", []byte("x"), 0o600), syscall.EEXIST)
	for max, want := range map[int]error{0: vfs.ErrTooBig, 3: vfs.ErrTooBig, 4: nil, 100: nil} {
		data, err := vfs.ReadFile(s.root, "f", max)
		if !errors.Is(err, want) || err == nil && string(data) != "text" {
			t.Errorf("ReadFile of at most %d bytes: %q, %v", max, data, err)
		}
	}
	_, err := vfs.ReadFile(s.root, "x", 10)
	wantErr(t, "ReadFile of nothing", err, syscall.ENOENT)
}

// A directory's own time tells of names in it, not of its own name. Clocks of
// file systems are too coarse to ask for more than "not changed".
func testModTime(t *testing.T, s *stage) {
	s.make(t, "d/", "d/f=text", "e/")
	d := s.open(t, "d")
	before, err := d.Stat()
	must(t, err)
	must(t, s.root.Rename("d", s.root, "x", vfs.Plain))
	must(t, s.root.Rename("e", s.root, "y", vfs.Plain))
	after, err := d.Stat()
	must(t, err)
	if !after.ModTime.Equal(before.ModTime) {
		t.Errorf("renaming a directory changed its time from %v to %v", before.ModTime, after.ModTime)
	}
	must(t, d.Mkdir("sub", 0o755))
	after, err = d.Stat()
	must(t, err)
	if after.ModTime.Before(before.ModTime) {
		t.Errorf("a new name set the time back from %v to %v", before.ModTime, after.ModTime)
	}
}
