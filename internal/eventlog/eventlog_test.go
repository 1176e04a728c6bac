package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func entry(n int) Entry {
	return Entry{Event: "acquired", Time: time.Unix(int64(n), 0), Lock: "/cache/k.lock", Process: Who{PID: 1, Hostname: "h"}}
}

// TestBound: whatever many writers do at once, the log and its predecessor stay below
// the limit or half as much again, each line is whole, and what is there is the newest.
func TestBound(t *testing.T) {
	const writers, each, limit = 8, 400, 64 << 10
	log := Log{Path: filepath.Join(t.TempDir(), "log"), Limit: limit}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if err := log.Append(entry(w*each + i + 1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	total := int64(0)
	for _, name := range []string{log.Path, log.Path + OldSuffix} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total > limit*3/2 || total < limit/4 {
		t.Errorf("%d bytes with a limit of %d", total, limit)
	}
	n := 0
	if bad, err := log.Read(func(Entry) { n++ }); bad != 0 || err != nil || n == 0 {
		t.Errorf("%d entries, %d bad lines, %v", n, bad, err)
	}
}

// TestNotLost: below the limit nothing is lost, by any number of writers.
func TestNotLost(t *testing.T) {
	const writers, each = 8, 100
	log := Log{Path: filepath.Join(t.TempDir(), "log")}
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for i := range each {
				if err := log.Append(entry(i + 1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	n := 0
	if bad, err := log.Read(func(Entry) { n++ }); n != writers*each || bad != 0 || err != nil {
		t.Errorf("%d entries, %d bad lines, %v", n, bad, err)
	}
}

// TestStrangeLines: what is no entry is counted and skipped, however long it is.
func TestStrangeLines(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	log := Log{Path: name}
	if err := log.Append(entry(1)); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, "\n\nno json\n{\"schema\":2,\"event\":\"x\",\"lock\":\"l\",\"time\":\"2026-01-02T03:04:05Z\"}\n{}\n%s\n", strings.Repeat("x", 3*maxLine))
	f.Close()
	if err := log.Append(entry(2)); err != nil {
		t.Fatal(err)
	}
	n := 0
	if bad, err := log.Read(func(Entry) { n++ }); n != 2 || bad != 4 || err != nil {
		t.Errorf("%d entries, %d bad lines, %v", n, bad, err)
	}
	if _, err := (Log{Path: name + "-nowhere"}).Read(nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestFull: where the log cannot be moved aside it stops at its limit.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	log := Log{Path: filepath.Join(dir, "log"), Limit: 2000}
	if err := os.MkdirAll(filepath.Join(log.Path+OldSuffix, "in", "the", "way"), 0o777); err != nil {
		t.Fatal(err)
	}
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		err = log.Append(entry(i + 1))
	}
	info, serr := os.Stat(log.Path)
	if !errors.Is(err, ErrFull) || serr != nil || info.Size() > 2000 {
		t.Error(err, serr, info.Size())
	}
}
