package genlock_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// TestLongCommand: a command that is too long for a record leaves the description out. A
// record that no reader accepts would keep the lock from being reclaimed after a crash.
func TestLongCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.lock")
	about := protocol.About{Argv: []string{"cc", strings.Repeat("\x01", protocol.MaxRecord/4)}}
	lease, err := genlock.New(path, &genlock.Options{About: about}).Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	data, err := os.ReadFile(filepath.Join(path+".v3", "current", "owner.json"))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := protocol.ParseRecord(data)
	if err != nil || len(data) > protocol.MaxRecord || !rec.Ours() || rec.Generation != lease.Generation() {
		t.Errorf("record of %d bytes: %v, %v", len(data), rec, err)
	}
}
