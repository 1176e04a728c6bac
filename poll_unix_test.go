//go:build unix

package genlock_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// TestPollersDoNotBlockRelease: twenty that look all the time, and read what is there,
// neither keep a holder from releasing nor make it report anything, two hundred times.
func TestPollersDoNotBlockRelease(t *testing.T) {
	lock := genlock.New(filepath.Join(fastDir(t), "k.lock"), nil)
	current := filepath.Join(lock.Path()+protocol.RootSuffix, protocol.CurrentName)
	ctx, stop := context.WithCancel(t.Context())
	var begun, pollers sync.WaitGroup
	const many = 20
	begun.Add(many)
	for range many {
		pollers.Go(func() {
			begun.Done()
			for ctx.Err() == nil {
				if _, err := lock.Status(context.Background()); err != nil {
					t.Error(err)
					return
				}
				os.ReadFile(filepath.Join(current, protocol.RecordName))
			}
		})
	}
	begun.Wait()
	for range 200 {
		if err := acquire(t, lock).Release(); err != nil {
			t.Error(err)
		}
	}
	stop()
	pollers.Wait()
	if err := leftovers(lock); err != nil {
		t.Error(err)
	}
}
