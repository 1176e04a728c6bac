package artifact

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var errFault = &fs.PathError{Op: "fault", Path: "injected", Err: syscall.EIO}

// faulty returns a hook that fails the k-th operation, and if ever all that
// follow. hit tells whether there was a k-th operation.
func faulty(k int, ever bool) (hook func(op, path string) error, hit *bool) {
	n, hit := 0, new(bool)
	return func(string, string) error {
		if n++; n == k || ever && n > k {
			*hit = true
			return errFault
		}
		return nil
	}, hit
}

// Every operation fails once, either without happening or after it happened:
// the artifact is the old or the new one and the answer says which; a second
// try succeeds.
func TestFaultOnce(t *testing.T) {
	variants(t, func(t *testing.T, w0 *world) {
		w0.replace = true
		for _, happens := range []bool{false, true} {
			for k, more := 1, true; more; k++ {
				w := w0.fresh()
				w.make(w.path, "old")
				a := w.acquire()
				a.build("new")
				hook, hit := faulty(k, false)
				if happens {
					a.fs.after = hook
				} else {
					a.fs.before = hook
				}
				if err := a.publish(); err != nil {
					w.wantErr(err, syscall.EIO)
					w.wantVersion("old")
					w.ok(a.publish())
				}
				w.wantVersion("new")
				more = *hit
				a.retire()
				w.ok(w.acquire().Sweep())
				w.wantAlone()
			}
		}
	})
}

// The disk breaks for good at any operation: what is reported is the fault, and
// the artifact is whole, or missing where it cannot be exchanged. Once the disk
// works again so does a second try.
func TestFaultForEver(t *testing.T) {
	variants(t, func(t *testing.T, w0 *world) {
		w0.replace = true
		for k, more := 1, true; more; k++ {
			w := w0.fresh()
			w.make(w.path, "old")
			a := w.acquire()
			a.build("new")
			hook, hit := faulty(k, true)
			a.fs.before = hook
			err := a.publish()
			a.fs.before = nil
			more = *hit
			got := w.version()
			switch {
			case err == nil && got != "new":
				t.Fatalf("operation %d: published, but the artifact is %q", k, got)
			case err != nil && !errors.Is(err, syscall.EIO):
				t.Fatalf("operation %d: %v is not the fault", k, err)
			case got == "" && !(w.plain && w.directory):
				t.Fatalf("operation %d: the artifact is lost", k)
			}
			if err != nil {
				w.ok(a.publish())
			}
			w.wantVersion("new")
		}
	})
}

// A replacement that never succeeds keeps the old artifact.
func TestFailingReplacement(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		w.replace = true
		w.make(w.path, "old")
		a := w.acquire()
		a.build("new")
		a.fs.before = func(op, path string) error {
			if op == "rename" && path == w.path && filepath.Base(a.fs.from) == "tool" {
				if _, err := os.Lstat(w.path); err != nil || !w.plain || !w.directory {
					return errFault
				}
			}
			return nil
		}
		w.wantErr(a.publish(), syscall.EIO)
		w.wantVersion("old")
	})
}

// A directory that came with an image cannot be renamed on an overlay, whatever
// it is renamed from or to. It stays, and the answer says what to do.
func TestArtifactInLowerLayer(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.replace, w.directory = true, true
	w.make(w.path, "old")
	a := w.acquire()
	a.build("new")
	a.fs.before = func(op, path string) error {
		if op == "rename" && (path == w.path || a.fs.from == w.path) {
			return &os.LinkError{Op: op, Old: a.fs.from, New: path, Err: syscall.EXDEV}
		}
		return nil
	}
	err := a.publish()
	w.wantErr(err, syscall.EXDEV)
	if !strings.Contains(err.Error(), "lower layer") {
		t.Errorf("unclear: %v", err)
	}
	w.wantVersion("old")
	w.wantAlone()
}

// A sweep fails only if another generation's staging is still in its place.
func TestFaultySweep(t *testing.T) {
	const name = ".genlock-0123456789abcdef0123456789abcdef"
	for k, more := 1, true; more; k++ {
		w := newWorld(t, t.TempDir())
		w.mkdir(w.path + name + "/tool")
		a := w.acquire()
		hook, hit := faulty(k, false)
		a.fs.before = hook
		err := a.Sweep()
		a.fs.before = nil
		more = *hit
		if err == nil {
			found, _ := Exists(a.FS, w.path+name)
			if found {
				t.Fatalf("operation %d: the sweep left the staging", k)
			}
		} else {
			w.wantErr(err, syscall.EIO)
		}
		a.retire()
		w.ok(w.acquire().Sweep())
		w.wantAlone()
	}
}
