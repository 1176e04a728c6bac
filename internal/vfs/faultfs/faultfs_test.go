package faultfs_test

import (
	"errors"
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
