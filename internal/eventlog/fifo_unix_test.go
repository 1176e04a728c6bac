//go:build unix

package eventlog

import (
	"errors"
	"os"
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

// TestFifoUnread: a reader who does not read any more costs an entry, and no time.
func TestFifoUnread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no fifos here: ", err)
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	const more = 10_000 // than a fifo holds
	for n := range more {
		if err := (Log{Path: path}).Append(entry(n)); err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error(err)
			}
			return
		}
	}
	t.Error("a fifo took everything")
}
