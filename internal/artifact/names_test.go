package artifact

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/protocol"
)

func TestNames(t *testing.T) {
	names := []string{" ", "a b", "new\nline", "-rf", "e\u0301 é 🦊", "stage-" + otherID, "current", ".v3", "\xff\xfe", strings.Repeat("x", 200)}
	variants(t, func(t *testing.T, w0 *world) {
		w0.replace = true
		for _, name := range names {
			w := w0.fresh()
			w.path = filepath.Join(filepath.Dir(w.path), name)
			w.ok(CheckPath(w.path, strings.TrimSuffix(w.root, ".v3")))
			w.make(w.path, "old")
			w.mkdir(w.path + ".genlock-" + otherID)
			a := w.acquire()
			w.ok(a.Sweep())
			a.build("new")
			w.ok(a.publish())
			w.wantVersion("new")
			w.wantAlone()
		}
	})
}

// A name with no room for the suffix of a staging beside it is refused with
// words only where one is needed.
func TestLongName(t *testing.T) {
	variants(t, func(t *testing.T, w *world) {
		w.path = filepath.Join(filepath.Dir(w.path), strings.Repeat("x", 230))
		a := w.acquire()
		w.ok(a.Sweep())
		a.build("new")
		err := a.publish()
		if !w.apart {
			w.ok(err)
			w.wantVersion("new")
			return
		}
		w.wantErr(err, syscall.ENAMETOOLONG)
		if !strings.Contains(err.Error(), "another file system") || !strings.Contains(err.Error(), "230 bytes") {
			t.Errorf("unclear: %v", err)
		}
		w.wantVersion("")
		w.wantAlone()
	})
}

func TestCheckPath(t *testing.T) {
	const lock = "/c/k.lock"
	for path, why := range map[string]string{
		"/out/tool":                        "",
		"/c/tool":                          "",
		"/c/k.lock.v3x":                    "",
		"/c/k.lock.v":                      "",
		"/c/k.locker/tool":                 "",
		"/c/..tool":                        "",
		"/c/tool.genlock-x":                "",
		"/c/other.v3.candidate-" + otherID: "",
		"":                                 "empty",
		"/c/" + strings.Repeat("a", 255):   "",
		"/c/" + strings.Repeat("a", 256):   "256 bytes and 255 are the most",
		"/c/a\x00b":                        "NUL",
		"/c/tool/":                         "not a name",
		"/":                                "not a name",
		"/c/..":                            "not a name",
		"/c/tool/.":                        "not a name",
		"c/tool":                           "not absolute",
		"/c/tool.genlock-" + otherID:       "staging",
		lock:                               "the path of the lock",
		"/x/../c/./k.lock":                 "the path of the lock",
		lock + "/tool":                     "inside it",
		lock + ".v3":                       "own directory",
		lock + ".v3/current/tool":          "own directory",
		"/x/../c/k.lock.v3/tool":           "own directory",
		lock + ".v3.candidate-" + otherID:  "uses itself",
		"/c":                               "lies inside",
	} {
		err := CheckPath(path, lock)
		if why == "" {
			if err != nil {
				t.Errorf("%q: %v", path, err)
			}
			continue
		}
		var usage *protocol.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: got %v, want something with %q", path, err, why)
		}
	}
	if err := CheckPath("/c/tool", "c/k.lock"); !errors.Is(err, protocol.ErrUsage) {
		t.Errorf("relative lock path: %v", err)
	}
}
