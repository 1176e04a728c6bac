package legacy_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

// TestStrangeDirectory: a directory at L that holds what no old lock does is moved by no
// dialect, with whatever rule, and not on an operator's word either.
func TestStrangeDirectory(t *testing.T) {
	for _, list := range []string{"mkdir", "token", "token=here", "heartbeat=10s", "mkdir,token=here"} {
		lock := filepath.Join(t.TempDir(), "k.lock")
		if err := os.MkdirAll(filepath.Join(lock, "precious"), 0o777); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-48 * time.Hour)
		if err := os.Chtimes(lock, old, old); err != nil {
			t.Fatal(err)
		}
		set, err := legacy.Parse(list)
		if err != nil {
			t.Fatal(err)
		}
		at := legacy.Place{Lock: lock, Mine: protocol.ID("0192f0c1d2e37abc8def0123456789ab")}
		_, sight, err := set.Clear(context.Background(), at)
		if err != nil || sight == nil || sight.Spent() || !sight.Strange {
			t.Errorf("%s: %+v, %v", list, sight, err)
		}
		for _, d := range set {
			if _, err := d.Reclaim(t.Context(), at); err == nil {
				t.Errorf("%s reclaims it", list)
			}
		}
		for _, dialect := range []string{"mkdir", "token", "heartbeat"} {
			var blocked *legacy.BlockedError
			if _, err := legacy.Break(t.Context(), at, dialect); !errors.As(err, &blocked) {
				t.Errorf("break --old %s: %v", dialect, err)
			}
		}
		if _, err := os.Stat(filepath.Join(lock, "precious")); err != nil {
			t.Errorf("%s: %v", list, err)
		}
	}
}
