//go:build unix

package genlock_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// snapshot describes a whole tree: names, types, link targets and contents.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&b, "%s %s", rel, info.Mode())
		if target, err := os.Readlink(path); err == nil {
			fmt.Fprintf(&b, " -> %s", target)
		}
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			fmt.Fprintf(&b, " %s", hex.EncodeToString(sum[:8]))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOddTypes puts links and odd file types into every place of the protocol. Each
// is a typed error that names the path, and nothing is read or changed behind
// it (rule 11).
func TestOddTypes(t *testing.T) {
	plant := map[string]func(path, dir string) error{
		"link to a live tree": func(path, dir string) error { return os.Symlink(filepath.Join(dir, "live.lock.v3"), path) },
		"link to nothing":     func(path, dir string) error { return os.Symlink(filepath.Join(dir, "nothing"), path) },
		"link to a file":      func(path, dir string) error { return os.Symlink(filepath.Join(dir, "precious"), path) },
		"fifo":                func(path, _ string) error { return syscall.Mkfifo(path, 0o666) },
		"file":                func(path, _ string) error { return os.WriteFile(path, []byte("mine"), 0o666) },
		"directory":           func(path, _ string) error { return os.Mkdir(path, 0o777) },
	}
	dirs := []string{"k.lock", "k.lock.v3", "k.lock.v3/current", "k.lock.v3/retired", "k.lock.v3/current/observers"}
	files := []string{"k.lock.v3/protocol-v3", "k.lock.v3/queue", "k.lock.v3/current/generation",
		"k.lock.v3/current/owner.json", "k.lock.v3/current/task-complete"}
	for _, place := range append(dirs, files...) {
		for what, put := range plant {
			isDir := strings.Contains(strings.Join(dirs, "\n")+"\n", place+"\n")
			if isDir == (what == "directory") && (isDir || what == "file") || !isDir && what == "file" {
				continue // that is what belongs there
			}
			t.Run(place+" is a "+what, func(t *testing.T) {
				dir := t.TempDir()
				oddTree(t, dir, place)
				if err := os.RemoveAll(filepath.Join(dir, place)); err != nil {
					t.Fatal(err)
				}
				if err := put(filepath.Join(dir, place), dir); err != nil {
					t.Fatal(err)
				}
				before := snapshot(t, dir)
				_, err := genlock.New(filepath.Join(dir, "k.lock"), nil).TryAcquire(t.Context())
				if !errors.Is(err, genlock.ErrUnsafePath) || !strings.Contains(err.Error(), filepath.Join(dir, place)) {
					t.Errorf("error %v, want %v naming %s", err, genlock.ErrUnsafePath, place)
				}
				if after := snapshot(t, dir); after != before {
					t.Errorf("changed from\n%sto\n%s", before, after)
				}
			})
		}
	}
}

// oddTree makes a lock whose holder is dead where the odd place lies inside its
// generation, an idle one otherwise, and things nearby that must stay as they are.
func oddTree(t *testing.T, dir, place string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "precious"), []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	live := acquire(t, genlock.New(filepath.Join(dir, "live.lock"), nil))
	_ = live
	if !strings.HasPrefix(place, "k.lock.v3/") {
		return
	}
	if strings.Contains(place, "current/") {
		if _, crashed := crash(t, &crasher{Dir: dir, Verb: "release", At: 1}); !crashed {
			t.Fatal("the holder did not crash")
		}
		return
	}
	lease := acquire(t, genlock.New(filepath.Join(dir, "k.lock"), nil))
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
}

// TestEmptyCurrent: an empty current holds nothing and wedges nothing (rule 1), and
// neither does debris (rule 10).
func TestEmptyCurrent(t *testing.T) {
	for _, debris := range []string{"", "stage-x/file", "observers/x/y"} {
		dir := t.TempDir()
		lock := genlock.New(filepath.Join(dir, "k.lock"), nil)
		if err := acquire(t, lock).Release(); err != nil {
			t.Fatal(err)
		}
		current := filepath.Join(lock.Path()+protocol.RootSuffix, protocol.CurrentName)
		if err := os.MkdirAll(filepath.Join(current, debris), 0o777); err != nil {
			t.Fatal(err)
		}
		lease, err := lock.TryAcquire(t.Context())
		if err != nil {
			t.Errorf("debris %q: %v", debris, err)
			continue
		}
		if err := lease.Release(); err != nil {
			t.Errorf("debris %q: %v", debris, err)
		}
		if err := leftovers(lock); err != nil {
			t.Errorf("debris %q: %v", debris, err)
		}
	}
}

// TestUnusableRecords: whatever a record became, nothing is signalled, nobody spins,
// and the state says what it is. The witness of the dead holder is free, which
// proves nothing without its record on the same boot (rule 12).
func TestUnusableRecords(t *testing.T) {
	tear := map[string]func(rec map[string]any, data []byte) []byte{
		"empty":          func(map[string]any, []byte) []byte { return nil },
		"half":           func(_ map[string]any, data []byte) []byte { return data[:len(data)/2] },
		"NUL bytes":      func(map[string]any, []byte) []byte { return make([]byte, 200) },
		"pid 0":          field("pid", 0),
		"pid -1":         field("pid", -1),
		"pid 1.5":        field("pid", 1.5),
		"pid 2^31":       field("pid", 1<<31),
		"pid 2^40":       field("pid", 1<<40),
		"pid a string":   field("pid", "12"),
		"no pid":         field("pid", nil),
		"no host":        field("hostname", nil),
		"no nonce":       field("completionNonce", nil),
		"a list":         func(map[string]any, []byte) []byte { return []byte("[]") },
		"bad generation": field("generation", "ABC"),
	}
	for name, tear := range tear {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := &crasher{Dir: dir, Verb: "release", At: 1}
			if _, crashed := crash(t, c); !crashed {
				t.Fatal("the holder did not crash")
			}
			lock := c.lock()
			path := filepath.Join(lock.Path()+protocol.RootSuffix, protocol.CurrentName, protocol.RecordName)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var rec map[string]any
			if err := json.Unmarshal(data, &rec); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, tear(rec, data), 0o666); err != nil {
				t.Fatal(err)
			}
			seen, err := lock.Status(t.Context())
			if err != nil || seen.State != observer.Undecidable || seen.Evidence == "" {
				t.Errorf("status %s (%s), %v; want undecidable with a reason", seen.State, seen.Evidence, err)
			}
			if !strings.Contains(seen.Next, string(seen.Generation)) || seen.Generation == "" {
				t.Errorf("next %q does not name generation %q", seen.Next, seen.Generation)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := lock.Acquire(ctx); !errors.Is(err, genlock.ErrHeld) {
				t.Errorf("acquire: %v, want %v", err, genlock.ErrHeld)
			}
			if err := breakGeneration(t.Context(), lock, seen.Generation); err != nil {
				t.Fatal(err)
			}
			if err := acquire(t, lock).Release(); err != nil {
				t.Error(err)
			}
		})
	}
}

func field(name string, value any) func(map[string]any, []byte) []byte {
	return func(rec map[string]any, _ []byte) []byte {
		if rec[name] = value; value == nil {
			delete(rec, name)
		}
		data, err := json.Marshal(rec)
		if err != nil {
			panic(err)
		}
		return data
	}
}

// TestMarkers: another format, a later version and no marker at all are told apart,
// and nothing is overwritten.
func TestMarkers(t *testing.T) {
	for marker, want := range map[string]error{
		"genlock-v4\n":                 genlock.ErrTooNew,
		"genlock-v2\n":                 genlock.ErrFormat,
		"ttsc-plugin-build-lock-v3\n":  genlock.ErrFormat,
		"ttsc-plugin-build-lock-v12\n": genlock.ErrFormat,
		"genlock-v3":                   protocol.ErrNotRoot,
		"genlock-v3\r\n":               protocol.ErrNotRoot,
		"":                             protocol.ErrNotRoot,
		"\x00\x00":                     protocol.ErrNotRoot,
		"no marker":                    protocol.ErrNotRoot,
	} {
		dir := t.TempDir()
		root := filepath.Join(dir, "k.lock.v3")
		if err := os.MkdirAll(filepath.Join(root, "retired"), 0o777); err != nil {
			t.Fatal(err)
		}
		if marker != "no marker" {
			if err := os.WriteFile(filepath.Join(root, "protocol-v3"), []byte(marker), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		before := snapshot(t, dir)
		_, err := genlock.New(filepath.Join(dir, "k.lock"), nil).TryAcquire(t.Context())
		if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), root) {
			t.Errorf("marker %q: %v, want %v naming %s", marker, err, want, root)
		}
		if after := snapshot(t, dir); after != before {
			t.Errorf("marker %q: changed from\n%sto\n%s", marker, before, after)
		}
	}
}
