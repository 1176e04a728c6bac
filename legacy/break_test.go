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
