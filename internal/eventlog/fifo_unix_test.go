//go:build unix

package eventlog

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFifoWithoutReader: a log that is a fifo nobody reads is an error at once. Whoever
// waited for a reader there would hold the lock all the time.
func TestFifoWithoutReader(t *testing.T) {
	log := Log{Path: filepath.Join(t.TempDir(), "log")}
	if err := syscall.Mkfifo(log.Path, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := log.Check(); !errors.Is(err, syscall.ENXIO) {
		t.Errorf("Check: %v, want ENXIO", err)
	}
	if err := log.Append(entry(1)); !errors.Is(err, syscall.ENXIO) {
		t.Errorf("Append: %v, want ENXIO", err)
	}
}
