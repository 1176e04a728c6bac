//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/observer"
)

// oddThings can stand in the place of anything.
var oddThings = map[string]func(path string) error{
	"file":            func(path string) error { return os.WriteFile(path, []byte("mine"), 0o666) },
	"directory":       func(path string) error { return os.Mkdir(path, 0o777) },
	"fifo":            func(path string) error { return syscall.Mkfifo(path, 0o666) },
	"link":            func(path string) error { return os.Symlink(filepath.Dir(path), path) },
	"link to nothing": func(path string) error { return os.Symlink("nothing", path) },
}

// oddPlaces are the names that a lock has, and what may stand there. Without an
// entry for it everything is unsafe, and "" is not looked at.
var oddPlaces = []struct {
	name  string
	tree  string // "", "idle" or "held": what stands around it
	usual map[string]observer.State
}{
	{"k.lock", "", map[string]observer.State{"directory": observer.Undecidable}},
	{"k.lock", "idle", map[string]observer.State{"directory": observer.Undecidable}},
	{"k.lock.v2", "idle", map[string]observer.State{"directory": observer.Free}},
	{"k.lock.v3", "", map[string]observer.State{"directory": observer.Foreign}},
	{"k.lock.v3/protocol-v3", "idle", map[string]observer.State{"file": observer.Foreign}},
	{"k.lock.v3/retired", "idle", map[string]observer.State{"directory": observer.Free}},
	{"k.lock.v3/queue", "idle", map[string]observer.State{"file": observer.Free}},
	{"k.lock.v3/current", "idle", map[string]observer.State{"directory": observer.Free}},
	{"k.lock.v3/last.json", "idle", map[string]observer.State{"file": observer.Free, "directory": observer.Free,
		"fifo": observer.Free, "link": observer.Free, "link to nothing": observer.Free}}, // it only informs
	{"k.lock.v3/current/generation", "held", map[string]observer.State{"file": ""}},
	{"k.lock.v3/current/owner.json", "held", map[string]observer.State{"file": ""}},
	{"k.lock.v3/current/task-complete", "held", map[string]observer.State{"file": ""}},
	{"k.lock.v3/current/observers", "held", map[string]observer.State{"directory": ""}},
}

// TestOddEverywhere: status, list, doctor, run and break agree about whatever stands in
// a lock's place, or in that of one of its names.
func TestOddEverywhere(t *testing.T) {
	held := filepath.Join(t.TempDir(), "held.lock")
	lease, err := genlock.New(held, nil).Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	for _, place := range oddPlaces {
		for what, put := range oddThings {
			want, usual := place.usual[what]
			if !usual {
				want = observer.Unsafe
			}
			if want == "" {
				continue
			}
			t.Run(place.name+" "+place.tree+" is a "+what, func(t *testing.T) {
				o := &oddLock{t: t, dir: t.TempDir(), want: want}
				o.lock = filepath.Join(o.dir, "k.lock")
				o.surround(place.tree, held)
				path := filepath.Join(o.dir, place.name)
				if err := errors.Join(os.RemoveAll(path), put(path)); err != nil {
					t.Fatal(err)
				}
				before, err := os.Lstat(path)
				if err != nil {
					t.Fatal(err)
				}
				// A file at L is nobody's lock, unless somebody asks for it.
				o.check(place.name != "k.lock" || place.tree != "" || before.IsDir())
				if after, err := os.Lstat(path); want != observer.Free && (err != nil || after.Mode() != before.Mode()) {
					t.Errorf("it was changed: %v", err)
				}
			})
		}
	}
}

type oddLock struct {
	t         *testing.T
	dir, lock string
	want      observer.State
}

// surround makes the rest of the lock.
func (o *oddLock) surround(tree, held string) {
	var err error
	switch tree {
	case "idle":
		err = genlock.New(o.lock, nil).With(context.Background(), func(context.Context, *genlock.Lease) error { return nil })
	case "held":
		err = os.CopyFS(o.lock+".v3", os.DirFS(held+".v3"))
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

func (o *oddLock) check(listed bool) {
	status := 0
	seen := decode[observer.Observation](o.t, o.verb(&status, "status", "--json", o.lock))
	if status != 0 || len(seen) != 1 || seen[0].State != o.want {
		o.t.Fatalf("status: %d, %+v, want %s", status, seen, o.want)
	}
	targets := []string{o.lock, o.dir}
	if !listed {
		targets = targets[:1]
	}
	for _, target := range targets {
		o.seenBy(target)
	}
	o.refused()
}

// seenBy looks with the verbs that take a directory.
func (o *oddLock) seenBy(target string) {
	status := 0
	rows := decode[observer.Observation](o.t, o.verb(&status, "list", "--json", target))
	if status != 0 || len(rows) != 1 || rows[0].State != o.want {
		o.t.Errorf("list %s: %d, %+v, want %s", target, status, rows, o.want)
	}
	found := decode[operate.Finding](o.t, o.verb(&status, "doctor", "--json", target))
	kind, code := string(o.want), exitFound
	switch o.want {
	case observer.Free:
		kind, code = "", 0
	case observer.Undecidable:
		kind = "old-lock"
	}
	if status != code || (code == 0) != (len(found) == 0) {
		o.t.Errorf("doctor %s: %d, %+v", target, status, found)
	}
	for _, f := range found {
		if f.Kind != kind || f.Lock != o.lock || !strings.HasPrefix(f.Path, o.lock) {
			o.t.Errorf("doctor %s: %+v, want %s", target, f, kind)
		}
	}
}

// refused takes and breaks the lock.
func (o *oddLock) refused() {
	status := 0
	o.verb(&status, "break", "--damaged", o.lock)
	if free := o.want == observer.Free; free != (status == 0) || !free && status != exitState {
		o.t.Errorf("break: %d", status)
	}
	lease, err := genlock.New(o.lock, nil).TryAcquire(context.Background())
	want := map[observer.State]int{observer.Free: 0, observer.Undecidable: exitHeld}
	code, known := want[o.want]
	if !known {
		code = exitState
	}
	if got := outcomeOf(err, exitHeld); got.code != code {
		o.t.Errorf("run: %d (%v), want %d", got.code, err, code)
	}
	if lease != nil {
		lease.Release()
	}
}

// verb runs one in this process.
func (o *oddLock) verb(status *int, args ...string) []byte {
	var out bytes.Buffer
	root := newRoot()
	root.SetOut(&out)
	root.SetArgs(args)
	err := root.Execute()
	var told exitStatus
	if errors.As(err, &told) {
		*status = int(told)
	} else {
		*status = outcomeOf(err, exitHeld).code
	}
	return out.Bytes()
}

func decode[T any](t *testing.T, data []byte) (all []T) {
	t.Helper()
	for dec := json.NewDecoder(bytes.NewReader(data)); dec.More(); {
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}
