package genlock_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/observer"
)

// TestReleaseUnclear: a retirement that happened, although nobody could see it for
// a moment, is the holder's own and no loss, however the doubt arose.
func TestReleaseUnclear(t *testing.T) {
	retires := func(op faultfs.Op) bool {
		return op.Verb == faultfs.Rename && strings.HasSuffix(op.Path, "/current") && strings.Contains(op.To, "/retired/")
	}
	looks := func(op faultfs.Op) bool { return op.Verb == faultfs.Lstat && strings.Contains(op.Path, "/retired/") }
	current := func(op faultfs.Op) bool { return op.Verb == faultfs.Lstat && strings.HasSuffix(op.Path, "/current") }
	for name, tt := range map[string]struct {
		rename    error // what the retirement reports; it happens
		looks     int   // how many looks at the tombstone fail then
		atCurrent int   // how many at current
	}{
		"the rename reports failure":                       {faultfs.Happened(syscall.EIO), 0, 0},
		"and its target cannot be seen":                    {faultfs.Happened(syscall.EIO), 3, 0},
		"and neither target nor source can be seen":        {faultfs.Happened(syscall.EIO), 3, 1},
		"nor at the next try":                              {faultfs.Happened(syscall.EIO), 4, 1},
		"the target cannot be seen":                        {nil, 3, 0},
		"neither target nor source can be seen":            {nil, 3, 1},
		"neither can be seen, and the next look fails too": {nil, 3, 2},
	} {
		t.Run(name, func(t *testing.T) {
			lock := genlock.New(filepath.Join(t.TempDir(), "k.lock"), nil)
			e := *env.From(t.Context())
			moved := false
			e.FS = faultfs.Wrap(e.FS, faultfs.Hooks{Before: func(op faultfs.Op) error {
				switch {
				case !moved && retires(op):
					moved = true
					return tt.rename
				case moved && looks(op) && tt.looks > 0:
					tt.looks--
					return syscall.EIO
				case moved && current(op) && tt.atCurrent > 0:
					tt.atCurrent--
					return syscall.EIO
				}
				return nil
			}})
			lease, err := lock.TryAcquire(env.With(t.Context(), &e))
			if err != nil {
				t.Fatal(err)
			}
			if err := lease.Release(); err != nil || !moved {
				t.Errorf("released: %v", err)
			}
			if seen, err := lock.Status(t.Context()); err != nil || seen.State != observer.Free {
				t.Errorf("then the lock is %v, %v", seen, err)
			}
		})
	}
}
