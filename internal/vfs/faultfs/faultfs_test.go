package faultfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/internal/vfs/memfs"
)

// every performs each verb at least once, in one fixed order, and stops at the
// first error after closing what it has open.
func every(under vfs.FS) (err error) {
	root, err := under.OpenParent("/")
	if err != nil {
		return err
	}
	defer closing(root, &err)
	if err := root.Mkdir("d", 0o755); err != nil {
		return err
	}
	d, err := under.OpenDir("/d")
	if err != nil {
		return err
	}
	defer closing(d, &err)
	f, err := d.Open("file", vfs.Create, 0o644)
	if err != nil {
		return err
	}
	defer closing(f, &err)
	buf := make([]byte, 8)
	for _, step := range []func() error{
		func() error { return f.Flock(vfs.Exclusive) },
		func() error { return second(f.Write([]byte("data"))) },
		f.Sync,
		func() error { return f.Chmod(0o600) },
		func() error { return second(f.Stat()) },
		func() error { return d.Chmod(0o700) },
		func() error { return second(d.Stat()) },
		func() error { return second(d.Lstat("file")) },
		func() error { return second(d.Names(0)) },
		func() error { return second(d.Kind()) },
		func() error { return readOnce(d, "file", buf) },
		func() error { return d.Rename("file", root, "moved", vfs.NoReplace) },
		func() error { return second(under.Lstat("/moved")) },
		func() error { return under.Rename("/moved", "/again", vfs.Plain) },
		func() error { return root.Remove("again") },
		func() error { return reopen(root) },
		func() error { return root.Rmdir("d") },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func second[T any](_ T, err error) error { return err }

func closing(c interface{ Close() error }, err *error) {
	if cerr := c.Close(); *err == nil {
		*err = cerr
	}
}

func readOnce(d vfs.Dir, name string, buf []byte) (err error) {
	f, err := d.Open(name, vfs.Read, 0)
	if err != nil {
		return err
	}
	defer closing(f, &err)
	_, err = f.Read(buf)
	return err
}

func reopen(root vfs.Dir) error {
	d, err := root.OpenDir("d")
	if err != nil {
		return err
	}
	return d.Close()
}

func TestTrace(t *testing.T) {
	var trace faultfs.Trace
	wrapped := faultfs.Wrap(memfs.New(memfs.Options{}).Process(), faultfs.Hooks{After: trace.After})
	if err := every(wrapped); err != nil {
		t.Fatal(err)
	}
	const want = `openparent /
mkdir /d
opendir /d
create /d/file
flock(exclusive) /d/file
write /d/file
sync /d/file
chmod /d/file
stat /d/file
chmod /d
stat /d
lstat /d/file
names /d
kind /d
open /d/file
read /d/file
close /d/file
rename(noreplace) /d/file -> /moved
lstat /moved
rename /moved -> /again
remove /again
opendir /d
close /d
rmdir /d
close /d/file
close /d
close /
`
	if got := trace.String(); got != want {
		t.Errorf("trace:\n%s\nwant:\n%s", got, want)
	}
	if got, want := wrapped.Count(), strings.Count(want, "\n"); got != want {
		t.Errorf("counted %d operations, want %d", got, want)
	}
	trace.Reset()
	wrapped.OpenDir("/d")
	if got, want := trace.String(), "opendir /d = no such file or directory\n"; got != want {
		t.Errorf("trace of a failure %q, want %q", got, want)
	}
}

// outcome is what is left after every under one fault.
type outcome struct {
	err    error
	ops    int
	disk   *memfs.FS
	leaked []string
}

func runEvery(before func(faultfs.Op) error) outcome {
	disk := memfs.New(memfs.Options{})
	p := disk.Process()
	wrapped := faultfs.Wrap(p, faultfs.Hooks{Before: before})
	err := every(wrapped)
	return outcome{err, wrapped.Count(), disk, p.Descriptors()}
}

// At every place a failure is reported as itself, in the usual shape, and leaks
// no descriptor.
func TestEveryPlaceCanFail(t *testing.T) {
	for name, fault := range map[string]error{
		"instead":  syscall.EIO,
		"happened": faultfs.Happened(syscall.EIO),
		"partial":  faultfs.Partial(1, syscall.EIO),
	} {
		places := 0
		for k := 1; ; k++ {
			var hit faultfs.Op
			got := runEvery(faultfs.First(note(k, &hit), faultfs.Once(k, fault)))
			if got.ops < k {
				break
			}
			places++
			if !errors.Is(got.err, syscall.EIO) || !shaped(got.err) {
				t.Errorf("%s at %d, %s: %v", name, k, hit, got.err)
			}
			if len(got.leaked) > 0 {
				t.Errorf("%s at %d, %s leaks %v", name, k, hit, got.leaked)
			}
		}
		if places != 27 {
			t.Errorf("%s: %d places, want 27", name, places)
		}
	}
}

func note(k int, at *faultfs.Op) func(faultfs.Op) error {
	return func(op faultfs.Op) error {
		if op.N == k {
			*at = op
		}
		return nil
	}
}

func shaped(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	return errors.As(err, &path) || errors.As(err, &link)
}

func TestInsteadHappenedPretend(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault error
		err   error
		there bool
	}{
		{"instead", syscall.ENOSPC, syscall.ENOSPC, false},
		{"happened", faultfs.Happened(syscall.ENOSPC), syscall.ENOSPC, true},
		{"pretend", faultfs.Pretend(), nil, false},
		{"nothing", nil, nil, true},
	} {
		disk := memfs.New(memfs.Options{})
		root := openRoot(t, disk.Process(), faultfs.On(tc.fault, faultfs.Mkdir))
		if err := root.Mkdir("d", 0o755); !errors.Is(err, tc.err) {
			t.Errorf("%s: reported %v", tc.name, err)
		}
		if _, err := root.Lstat("d"); (err == nil) != tc.there {
			t.Errorf("%s: afterwards %v", tc.name, err)
		}
	}
}

// An operation that fails by itself says why, also when a fault waits behind it.
func TestHappenedReportsTheOperationsOwnError(t *testing.T) {
	root := openRoot(t, memfs.New(memfs.Options{}).Process(), faultfs.On(faultfs.Happened(syscall.EIO), faultfs.Rmdir))
	if err := root.Rmdir("missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reported %v", err)
	}
}

func TestPretendCannotMakeThingsUp(t *testing.T) {
	disk := memfs.New(memfs.Options{})
	always := faultfs.When(func(faultfs.Op) bool { return true }, faultfs.Pretend())
	root := openRoot(t, disk.Process(), always)
	f, err := root.Open("f", vfs.Create, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("lost")); n != 4 || err != nil {
		t.Errorf("pretended write: %d, %v", n, err)
	}
	if info, err := f.Stat(); info.Size != 0 || err != nil {
		t.Errorf("stat after a pretended write: %d bytes, %v", info.Size, err)
	}
	if err := errors.Join(f.Flock(vfs.Exclusive), f.Close()); err != nil {
		t.Error(err)
	}
}

func TestShortReads(t *testing.T) {
	disk := memfs.New(memfs.Options{})
	disk.WriteFile("/f", "contents")
	reads := 0
	hook := faultfs.When(func(op faultfs.Op) bool {
		if op.Verb == faultfs.Read {
			reads++
		}
		return op.Verb == faultfs.Read
	}, faultfs.Partial(1, nil))
	root := openRoot(t, disk.Process(), hook)
	data, err := vfs.ReadFile(root, "f", 100)
	if string(data) != "contents" || err != nil {
		t.Errorf("read %q, %v", data, err)
	}
	if reads != 9 {
		t.Errorf("%d reads of one byte, want 9", reads)
	}
}

func TestTornWriteAndListing(t *testing.T) {
	disk := memfs.New(memfs.Options{})
	root := openRoot(t, disk.Process(), faultfs.On(faultfs.Partial(3, syscall.EDQUOT), faultfs.Write, faultfs.Names))
	if err := vfs.WriteFile(root, "f", []byte("contents"), 0o644); !vfs.IsNoSpace(err) {
		t.Errorf("torn write: %v", err)
	}
	if got, _ := disk.ReadFile("/f"); got != "con" {
		t.Errorf("torn write left %q", got)
	}
	for i := range 5 {
		root.Mkdir(fmt.Sprint(i), 0o755)
	}
	if names, err := root.Names(0); len(names) != 3 || err == nil {
		t.Errorf("listing that breaks off: %v, %v", names, err)
	}
}

func TestFromFailsForEver(t *testing.T) {
	got := runEvery(faultfs.From(5, syscall.EROFS))
	if !vfs.IsReadOnly(got.err) || len(got.leaked) > 0 {
		t.Errorf("%v, leaked %v", got.err, got.leaked)
	}
	if want := "/ drwxr-xr-x\n/d drwxr-xr-x\n/d/file -rw-r--r-- \"\"\n"; got.disk.Dump() != want {
		t.Errorf("left:\n%s", got.disk.Dump())
	}
}

// The hook may kill the process before an operation: nothing of it happens, and
// nothing afterwards.
func TestKillAtEveryPlace(t *testing.T) {
	for k := 1; k <= 27; k++ {
		disk := memfs.New(memfs.Options{})
		p := disk.Process()
		killed := ""
		wrapped := faultfs.Wrap(p, faultfs.Hooks{Before: func(op faultfs.Op) error {
			if op.N == k {
				p.Kill()
				killed = disk.Dump()
			}
			return nil
		}})
		if err := every(wrapped); !errors.Is(err, memfs.ErrKilled) {
			t.Errorf("killed before operation %d: %v", k, err)
		}
		if disk.Dump() != killed {
			t.Errorf("killed before operation %d, yet changed from\n%s\nto\n%s", k, killed, disk.Dump())
		}
	}
}

// Nothing is locked while the hook runs: it may end the goroutine.
func TestHookMayEndTheGoroutine(t *testing.T) {
	wrapped := faultfs.Wrap(memfs.New(memfs.Options{}).Process(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if op.Verb == faultfs.Mkdir {
			runtime.Goexit()
		}
		return nil
	}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		every(wrapped)
	}()
	<-done
	if err := second(wrapped.Lstat("/")); err != nil {
		t.Error(err)
	}
}

// A lock is still inherited, and an OS file still handed over, through wrappers.
func TestFilesAreReachableBelow(t *testing.T) {
	disk := memfs.New(memfs.Options{})
	root := openRoot(t, disk.Process(), nil)
	f, err := root.Open("witness", vfs.Create, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := f.(vfs.OSFile); ok {
		t.Error("a file of the model claims a descriptor")
	}
	if err := second(disk.Process().Inherit(f)); err != nil {
		t.Error(err)
	}

	d, err := faultfs.Wrap(vfs.OS(), faultfs.Hooks{}).OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := d.Open("witness", vfs.Create, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if sys, ok := g.(vfs.OSFile); !ok || sys.Descriptor() < 3 {
		t.Errorf("the descriptor of an OS file is lost: %T", g)
	}
}

func TestWrites(t *testing.T) {
	var wrote []string
	hook := func(op faultfs.Op) error {
		if op.Writes() {
			wrote = append(wrote, op.Verb)
		}
		return nil
	}
	runEvery(hook)
	if got, want := strings.Join(wrote, " "), "mkdir create write chmod chmod rename rename remove rmdir"; got != want {
		t.Errorf("writes %q, want %q", got, want)
	}
}

func openRoot(t *testing.T, under vfs.FS, before func(faultfs.Op) error) vfs.Dir {
	t.Helper()
	d, err := faultfs.Wrap(under, faultfs.Hooks{Before: before}).OpenDir("/")
	if err != nil {
		t.Fatal(err)
	}
	return d
}
