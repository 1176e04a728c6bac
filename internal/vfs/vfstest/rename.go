package vfstest

import (
	"errors"
	"slices"
	"sync"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

var renameCases = []testCase{
	{"rename/matrix", testRenameMatrix},
	{"rename/replaces", testRenameReplaces},
	{"rename/onto itself", testRenameOntoItself},
	{"rename/into itself", testRenameIntoItself},
	{"rename/onto its ancestor", testRenameOntoAncestor},
	{"rename/exchange", testExchange},
	{"rename/by path", testRenameByPath},
	{"rename/below a file", testRenameBelowFile},
	{"rename/other device", testRenameOtherDevice},
	{"rename/one contender wins", testOneContenderWins},
}

// notEmpty stands for what vfs.IsNotEmpty takes.
var notEmpty = []error{syscall.ENOTEMPTY, syscall.EEXIST}

// sources and targets of the matrix, in the notation of stage.make.
var (
	sources = map[string][]string{
		"file": {"s=S"}, "empty": {"s/"}, "full": {"s/", "s/f=S"}, "link": {"s->nowhere"}, "fifo": {"s|"}, "nothing": nil,
	}
	targets = map[string][]string{
		"file": {"t=T"}, "empty": {"t/"}, "full": {"t/", "t/f=T"}, "dangling link": {"t->nowhere"},
		"link to directory": {"other/", "t->other"}, "fifo": {"t|"}, "nothing": nil,
	}
)

// wantRename is the whole of rename(2) by types.
func wantRename(source, target string, how vfs.RenameFlag) []error {
	dir := func(kind string) bool { return kind == "empty" || kind == "full" }
	switch {
	case source == "nothing":
		return []error{syscall.ENOENT}
	case how == vfs.Exchange && target == "nothing":
		return []error{syscall.ENOENT}
	case how == vfs.NoReplace && target != "nothing":
		return []error{syscall.EEXIST}
	case how == vfs.Exchange || target == "nothing":
		return []error{nil}
	case dir(source) && !dir(target):
		return []error{syscall.ENOTDIR}
	case !dir(source) && dir(target):
		return []error{syscall.EISDIR}
	case target == "full":
		return notEmpty
	}
	return []error{nil}
}

func testRenameMatrix(t *testing.T, s *stage) {
	for source, makeSource := range sources {
		for target, makeTarget := range targets {
			for _, how := range []vfs.RenameFlag{vfs.Plain, vfs.NoReplace, vfs.Exchange} {
				s.make(t, makeSource...)
				s.make(t, makeTarget...)
				before := tree(t, s.root, "")
				err := s.root.Rename("s", s.root, "t", how)
				if how != vfs.Plain && errors.Is(err, errors.ErrUnsupported) {
					err = nil
				} else {
					wantErr(t, source+" onto "+target+flagWord(how), err, wantRename(source, target, how)...)
				}
				if after := tree(t, s.root, ""); err != nil && !slices.Equal(before, after) {
					t.Errorf("%s onto %s failed, yet %v became %v", source, target, before, after)
				}
				clear(t, s)
			}
		}
	}
}

func flagWord(how vfs.RenameFlag) string {
	return [...]string{"", " without replacing", " exchanging"}[how]
}

func clear(t *testing.T, s *stage) {
	t.Helper()
	names, err := s.root.Names(0)
	must(t, err)
	for _, name := range names {
		must(t, vfs.RemoveAll(s.root, name, nil))
	}
}

func testRenameReplaces(t *testing.T, s *stage) {
	s.make(t, "full/", "full/f=new", "empty/", "a=A", "b=B", "other/", "link->other")
	full := s.open(t, "full")
	must(t, s.root.Rename("full", s.root, "empty", vfs.Plain))
	must(t, s.root.Rename("a", s.root, "b", vfs.Plain))
	must(t, s.root.Rename("b", s.root, "link", vfs.Plain))
	s.want(t, "empty/", "empty/f=new", "link=A", "other/")
	sameNode(t, full, s.open(t, "empty"))
}

func testRenameOntoItself(t *testing.T, s *stage) {
	s.make(t, "d/", "d/f", "f=F")
	for _, name := range []string{"d", "f"} {
		must(t, s.root.Rename(name, s.root, name, vfs.Plain))
		wantErr(t, "without replacing", s.root.Rename(name, s.root, name, vfs.NoReplace), syscall.EEXIST, errors.ErrUnsupported)
		wantErr(t, "exchanging", s.root.Rename(name, s.root, name, vfs.Exchange), nil, errors.ErrUnsupported)
	}
	s.want(t, "d/", "d/f", "f=F")
}

func testRenameIntoItself(t *testing.T, s *stage) {
	s.make(t, "d/", "d/sub/")
	d, sub := s.open(t, "d"), s.open(t, "d/sub")
	for what, err := range map[string]error{
		"into itself":     s.root.Rename("d", d, "x", vfs.Plain),
		"into its child":  s.root.Rename("d", sub, "x", vfs.Plain),
		"onto its child":  s.root.Rename("d", d, "sub", vfs.Plain),
		"by path":         s.fs.Rename(s.join("d"), s.join("d/sub/x"), vfs.Plain),
		"with no replace": s.root.Rename("d", d, "x", vfs.NoReplace),
		"with exchange":   s.root.Rename("d", d, "sub", vfs.Exchange),
	} {
		wantErr(t, what, err, syscall.EINVAL, errors.ErrUnsupported)
	}
	s.want(t, "d/", "d/sub/")
}

func testRenameOntoAncestor(t *testing.T, s *stage) {
	s.make(t, "d/", "d/sub/", "d/f")
	d := s.open(t, "d")
	wantErr(t, "directory", d.Rename("sub", s.root, "d", vfs.Plain), syscall.ENOTEMPTY)
	wantErr(t, "file", d.Rename("f", s.root, "d", vfs.Plain), syscall.ENOTEMPTY, syscall.EISDIR)
	wantErr(t, "exchange", d.Rename("sub", s.root, "d", vfs.Exchange), syscall.EINVAL, errors.ErrUnsupported)
	s.want(t, "d/", "d/sub/", "d/f")
}

func testExchange(t *testing.T, s *stage) {
	s.make(t, "d/", "d/f", "sub/", "sub/g=G")
	sub := s.open(t, "sub")
	err := s.root.Rename("d", sub, "g", vfs.Exchange)
	if vfs.IsUnsupported(err) {
		t.Skipf("no exchange here: %v", err)
	}
	must(t, err)
	s.want(t, "d=G", "sub/", "sub/g/", "sub/g/f")
}

func testRenameByPath(t *testing.T, s *stage) {
	s.make(t, "d/", "d/f", "e/", "t/", "t/f")
	must(t, s.fs.Rename(s.join("d"), s.join("e"), vfs.Plain))
	wantErr(t, "onto a directory with a file", s.fs.Rename(s.join("e"), s.join("t"), vfs.Plain), notEmpty...)
	wantErr(t, "without replacing", s.fs.Rename(s.join("e"), s.join("t"), vfs.NoReplace), syscall.EEXIST, errors.ErrUnsupported)
	must(t, s.fs.Rename(s.join("e/f"), s.join("t/g"), vfs.Plain))
	s.want(t, "e/", "t/", "t/f", "t/g")
	wantErr(t, "away from a missing parent", s.fs.Rename(s.join("x/y"), s.join("z"), vfs.Plain), syscall.ENOENT)
	wantErr(t, "to a missing parent", s.fs.Rename(s.join("e"), s.join("x/y"), vfs.Plain), syscall.ENOENT)
}

func testRenameBelowFile(t *testing.T, s *stage) {
	s.make(t, "d/", "f=F")
	wantErr(t, "to", s.fs.Rename(s.join("d"), s.join("f/x"), vfs.Plain), syscall.ENOTDIR)
	wantErr(t, "from", s.fs.Rename(s.join("f/x"), s.join("e"), vfs.Plain), syscall.ENOTDIR)
	s.want(t, "d/", "f=F")
}

func testRenameOtherDevice(t *testing.T, s *stage) {
	other := need[Neighbour](t, s.fs, "reach another device").OtherDevice()
	if other == "" {
		t.Skip("there is no directory on another device")
	}
	s.make(t, "d/", "f=F")
	there, err := s.fs.OpenParent(other)
	must(t, err)
	defer closing(t, there)
	for _, name := range []string{"d", "f", "missing"} {
		err := s.root.Rename(name, there, "genlock-conformance", vfs.Plain)
		if !vfs.IsCrossDevice(err) {
			t.Errorf("rename of %s to another device: %v", name, err)
		}
	}
	s.want(t, "d/", "f=F")
}

// Rule 1: of many contenders with a complete candidate exactly one publishes.
func testOneContenderWins(t *testing.T, s *stage) {
	const contenders = 8
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, name := range names {
		s.make(t, name+"/", name+"/generation="+name)
	}
	s.make(t, "current/") // an empty one holds nothing
	errs := make([]error, contenders)
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { errs[i] = s.root.Rename(name, s.root, "current", vfs.Plain) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !vfs.IsNotEmpty(err) {
			t.Errorf("a loser got %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d contenders published", won, contenders)
	}
}
