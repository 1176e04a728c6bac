package legacy_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

// TestBreak: an operator's word takes an old lock away that nothing proves
// abandoned, whatever its dialect, and only that of the dialect named.
func TestBreak(t *testing.T) {
	const mine = protocol.ID("0192f0c1d2e37abc8def0123456789ab")
	for dialect, files := range map[string]map[string]string{
		"mkdir":     {"owner.json": `{"hostname":"elsewhere","pid":1,"startedAt":"2026-01-02T03:04:05Z"}`},
		"token":     {"owner.json": `{"pid":1,"token":"11111111-2222-3333-4444-555555555555"}`},
		"heartbeat": {},
		"v2": {"../k.lock.v2/protocol-v2": "ttsc-plugin-build-lock-v2\n",
			"../k.lock.v2/current/generation": "0192f0c1d2e37abc8def0123456789aa\n", "../k.lock.v2/retired/x": ""},
	} {
		t.Run(dialect, func(t *testing.T) {
			lock := filepath.Join(t.TempDir(), "k.lock")
			held := lock
			if dialect == "v2" {
				held = lock + ".v2/current"
			} else if err := os.Mkdir(lock, 0o777); err != nil {
				t.Fatal(err)
			}
			for name, data := range files {
				path := filepath.Join(lock, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			at := legacy.Place{Lock: lock, Mine: mine}
			if dialect == "mkdir" {
				other := new(legacy.OtherDialectError)
				if _, err := legacy.Break(t.Context(), at, "heartbeat"); !errors.As(err, &other) {
					t.Errorf("by another dialect's rules: %v", err)
				}
			}
			broken, err := legacy.Break(t.Context(), at, dialect)
			if err != nil || broken == nil || broken.Spent() {
				t.Fatalf("broke %+v, %v", broken, err)
			}
			if _, err := os.Lstat(held); !os.IsNotExist(err) {
				t.Errorf("%s is there still: %v", held, err)
			}
			if again, err := legacy.Break(t.Context(), at, dialect); again != nil || err != nil {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
	if _, err := legacy.Break(t.Context(), legacy.Place{Lock: t.TempDir() + "/k.lock"}, "flock"); !errors.Is(err, protocol.ErrUsage) {
		t.Errorf("an unknown dialect: %v", err)
	}
}

// TestBreakNamelessV2: a generation of v2 that names no id, or none that is one, can be
// broken, too. It goes to the tombstone of the generation that its record names, which
// is the fence of its holder, or to a place of its own; nothing of it is deleted.
func TestBreakNamelessV2(t *testing.T) {
	const mine = protocol.ID("0192f0c1d2e37abc8def0123456789ab")
	const own = "0192f0c1d2e37abc8def0123456789aa"
	for name, tt := range map[string]struct {
		files map[string]string
		place string
	}{
		"no id":                {map[string]string{"owner.json": `{"hostname":"elsewhere","pid":1}`}, ""},
		"no id and no record":  {map[string]string{"owner.json": ""}, ""},
		"an id in the record":  {map[string]string{"owner.json": `{"generation":"` + own + `","hostname":"elsewhere","pid":1}`}, own},
		"a torn id":            {map[string]string{"generation": "0192f0", "owner.json": `{"hostname":"elsewhere","pid":1}`}, ""},
		"an id that is a path": {map[string]string{"generation": "../..", "owner.json": `{"generation":"..","hostname":"elsewhere","pid":1}`}, ""},
	} {
		for _, cannotMove := range []bool{false, true} {
			w := newWorld(t)
			w.ok(w.disk.WriteFile(lock+".v2/protocol-v2", "ttsc-plugin-build-lock-v2\n"))
			w.ok(w.disk.MkdirAll(lock+".v2/retired", 0o777))
			for file, data := range tt.files {
				w.ok(w.disk.WriteFile(place("v2")+"/"+file, data))
			}
			p := w.proc()
			if cannotMove {
				p.before = baked("v2")
			}
			broken, err := legacy.Break(p.ctx, at(mine), "v2")
			if err != nil || broken == nil {
				t.Errorf("%s, cannot move %v: %+v, %v", name, cannotMove, broken, err)
				continue
			}
			stones := w.names(lock + ".v2/retired")
			if w.exists(place("v2")) || len(stones) != 1 || tt.place != "" && stones[0] != tt.place {
				t.Errorf("%s, cannot move %v: %v\n%s", name, cannotMove, stones, w.disk.Dump())
			}
			if !cannotMove && !w.exists(lock+".v2/retired/"+stones[0]+"/owner.json") {
				t.Errorf("%s: deleted\n%s", name, w.disk.Dump())
			}
			if got, err := w.proc().program("v2").Try(lock); !got || err != nil {
				t.Errorf("%s, cannot move %v: the old program gets %v, %v", name, cannotMove, got, err)
			}
			wantNoLeak(t, p)
		}
	}
}
