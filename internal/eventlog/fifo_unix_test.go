//go:build unix

package eventlog

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
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

// TestReadFifo: what is no regular file is refused at once and not read, not even of the
// predecessor: whoever opened a fifo for reading would wait for a writer.
func TestReadFifo(t *testing.T) {
	for _, found := range []bool{false, true} {
		for _, suffix := range []string{"", OldSuffix} {
			log := Log{Path: filepath.Join(t.TempDir(), "log"), Found: found}
			if err := syscall.Mkfifo(log.Path+suffix, 0o666); err != nil {
				t.Skip("no fifos here: ", err)
			}
			if _, err := log.Read(nil); !errors.Is(err, vfs.ErrNotRegular) {
				t.Errorf("found %v, %q: %v", found, suffix, err)
			}
		}
	}
	dir := Log{Path: t.TempDir()}
	if _, err := dir.Read(nil); !errors.Is(err, vfs.ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
}

// TestLink: a link to a log is followed if somebody named it, and then the log that it
// leads to is moved aside at its bound, not the link. One that was found where a log is
// expected anybody could have put there.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	link, there := filepath.Join(dir, "link"), filepath.Join(dir, "there")
	if err := os.Symlink("there", link); err != nil {
		t.Skip("no links here: ", err)
	}
	found := Log{Path: link, Found: true}
	for _, dangling := range []bool{true, false} {
		if err := found.Append(entry(1)); !errors.Is(err, ErrLink) {
			t.Errorf("dangling %v, Append: %v", dangling, err)
		}
		if err := found.Check(); !errors.Is(err, ErrLink) {
			t.Errorf("dangling %v, Check: %v", dangling, err)
		}
		if _, err := found.Read(nil); !errors.Is(err, ErrLink) {
			t.Errorf("dangling %v, Read: %v", dangling, err)
		}
		if data, _ := os.ReadFile(there); string(data) != "" {
			t.Errorf("it wrote %q", data)
		}
		if err := os.WriteFile(there, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	named, entries := Log{Path: link, Limit: 4 << 10}, 0
	for n := range 100 {
		if err := named.Append(entry(n + 1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := named.Read(func(Entry) { entries++ }); err != nil || entries < 10 {
		t.Errorf("%d entries, %v", entries, err)
	}
	if info, err := os.Lstat(there + OldSuffix); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the predecessor: %v", err)
	}
	if err := (Log{Path: filepath.Join(dir, "none"), Found: true}).Append(entry(1)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("one that is gone is made again: %v", err)
	}
}
