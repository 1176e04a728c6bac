package memfs

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

func TestKillDropsDescriptorsAndLocks(t *testing.T) {
	f := New(Options{})
	holder, prober := f.Process(), f.Process()
	held := create(t, open(t, holder, "/"), "witness")
	must(t, held.Flock(vfs.Exclusive))
	probe := openFile(t, open(t, prober, "/"), "witness")
	if err := probe.Flock(vfs.Shared); !vfs.IsBusy(err) {
		t.Fatalf("probe of a held lock: %v", err)
	}
	wantDescriptors(t, holder, "/", "/witness")

	holder.Kill()
	holder.Kill()
	wantDescriptors(t, holder)
	must(t, probe.Flock(vfs.Shared))
	for what, err := range map[string]error{
		"flock":  held.Flock(vfs.Exclusive),
		"close":  held.Close(),
		"rename": holder.Rename("/witness", "/moved", vfs.Plain),
	} {
		if !errors.Is(err, ErrKilled) {
			t.Errorf("%s by a killed process: %v", what, err)
		}
	}
	if _, err := prober.Lstat("/witness"); err != nil {
		t.Errorf("a killed process changed something: %v", err)
	}
}

func TestInheritedLockGoesWithTheLastDescriptor(t *testing.T) {
	f := New(Options{})
	holder, child, prober := f.Process(), f.Process(), f.Process()
	held := create(t, open(t, holder, "/"), "witness")
	must(t, held.Flock(vfs.Exclusive))
	_, err := child.Inherit(wrapped{held})
	must(t, err)
	probe := openFile(t, open(t, prober, "/"), "witness")

	holder.Kill()
	if err := probe.Flock(vfs.Shared); !vfs.IsBusy(err) {
		t.Fatalf("the child lives, yet: %v", err)
	}
	if want := "/ drwxr-xr-x\n/witness -rw------- \"\" exclusive [2]\n"; f.Dump() != want {
		t.Errorf("dump:\n%swant:\n%s", f.Dump(), want)
	}
	child.Kill()
	must(t, probe.Flock(vfs.Shared))

	if _, err := child.Inherit(probe); !errors.Is(err, ErrKilled) {
		t.Errorf("a killed process inherited: %v", err)
	}
	if _, err := prober.Inherit(held); err == nil {
		t.Error("a dead descriptor was inherited")
	}
	if _, err := New(Options{}).Process().Inherit(probe); err == nil {
		t.Error("a file of another file system was inherited")
	}
}

type wrapped struct{ vfs.File }

func (w wrapped) Unwrap() vfs.File { return w.File }

func TestInheritedDescriptorsShareTheOffset(t *testing.T) {
	f := New(Options{})
	parent, child := f.Process(), f.Process()
	a := create(t, open(t, parent, "/"), "log")
	b, err := child.Inherit(a)
	must(t, err)
	a.Write([]byte("one "))
	b.Write([]byte("two"))
	if got, _ := f.ReadFile("/log"); got != "one two" {
		t.Errorf("log holds %q", got)
	}
}

func TestDescriptorsAreReusedLowestFirst(t *testing.T) {
	p := New(Options{}).Process()
	a, b := open(t, p, "/"), open(t, p, "/")
	must(t, a.Close())
	if err := a.Close(); !errors.Is(err, syscall.EBADF) {
		t.Errorf("second close: %v", err)
	}
	create(t, b, "x")
	wantDescriptors(t, p, "/x", "/")
}

// What Linux does with owners, groups and the sticky bit, seen from a model
// that has no use for a second account on this machine.
func TestPermissions(t *testing.T) {
	f := New(Options{})
	must(t, f.MkdirAll("/tmp", 0o777|fs.ModeSticky))
	must(t, f.MkdirAll("/shared", 0o770|fs.ModeSetgid))
	must(t, f.Chown("/shared", 0, 50))
	must(t, f.MkdirAll("/private", 0o700))
	alice := f.ProcessOf(User{UID: 1, GID: 50, Umask: 0o002})
	bob := f.ProcessOf(User{UID: 2, GID: 51, Umask: 0o077})

	tmp := open(t, alice, "/tmp")
	must(t, tmp.Mkdir("a", 0o777))
	must(t, open(t, alice, "/shared").Mkdir("a", 0o770))
	create(t, open(t, bob, "/tmp"), "b")
	wantLines(t, "owners", f.Dump(), `
		/ drwxr-xr-x
		/private drwx------
		/shared dgrwxrwx--- 0:50
		/shared/a dgrwxrwx--- 1:50
		/tmp dtrwxrwxrwx
		/tmp/a drwxrwxr-x 1:50
		/tmp/b -rw------- 2:51 ""`)

	bobTmp := open(t, bob, "/tmp")
	_, openShared := bob.OpenDir("/shared")
	_, statPrivate := bob.Lstat("/private/x")
	_, readBob := tmp.Open("b", vfs.Read, 0)
	for _, tc := range []struct {
		what string
		err  error
		want error
	}{
		{"removing a foreign name from a sticky directory", bobTmp.Rmdir("a"), syscall.EPERM},
		{"renaming it", bobTmp.Rename("a", bobTmp, "c", vfs.Plain), syscall.EPERM},
		{"opening a directory without the right to read", openShared, syscall.EACCES},
		{"looking below a directory without the right to search", statPrivate, syscall.EACCES},
		{"opening a foreign file", readBob, syscall.EACCES},
		{"making a name without the right to write", open(t, bob, "/").Mkdir("x", 0o755), syscall.EACCES},
		{"chmod of a foreign directory", open(t, bob, "/tmp").Chmod(0o700), syscall.EPERM},
		{"the superuser removes it", open(t, f.Process(), "/tmp").Rmdir("a"), nil},
	} {
		if !errors.Is(tc.err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.what, tc.err, tc.want)
		}
	}
}

func wantDescriptors(t *testing.T, p *Process, want ...string) {
	t.Helper()
	if got := p.Descriptors(); !slices.Equal(got, want) {
		t.Errorf("process %d has open %v, want %v", p.ID(), got, want)
	}
}
