package operate

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// Names by which locks of older protocols are recognised.
const (
	v2Suffix     = ".v2"
	v2MarkerName = "protocol-v2"
	v2Marker     = "ttsc-plugin-build-lock-v2\n"
	fenceName    = "legacy-generation"
	tokenPrefix  = ".owner-"
)

// oldLock visits the directory path if it is a lock of an older protocol, going by
// the first of its entries; then it is not entered. One that has a root of ours
// beside it is told with that root.
func (w *walker) oldLock(d *directory, path string, entries []fs.DirEntry) (done bool, err error) {
	if lock, ok := strings.CutSuffix(path, v2Suffix); ok && filepath.Base(lock) != "" {
		data, err := vfs.ReadFile(d, v2MarkerName, 4096)
		if err == nil && string(data) == v2Marker {
			return true, w.old(place{lock: lock, dir: d}, v2At(d, path))
		}
	}
	o := classify(d, path, entries)
	if o == nil {
		return false, nil
	}
	if info, err := w.fs.Lstat(path + protocol.RootSuffix); err == nil && info.IsDir() {
		return true, nil
	}
	return true, w.old(place{lock: path, dir: d}, o)
}

// oldBeside visits the old lock at a single lock's own path, and one of v2 beside
// it, if there is no root of ours that tells.
func (w *walker) oldBeside(d *directory, lock string) error {
	for _, path := range []string{lock, lock + v2Suffix} {
		dir, f, err := w.open(path)
		if err != nil {
			continue
		}
		entries, _ := f.ReadDir(batch)
		_, err = w.oldLock(dir, path, entries)
		f.Close()
		dir.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func v2At(d vfs.Dir, path string) *observer.OldLock {
	o := &observer.OldLock{Dialect: "v2", Path: path, State: string(observer.Free),
		Why: "an older tool keeps its locks in " + path + "; nobody holds this one"}
	if _, err := d.Lstat(protocol.CurrentName); err == nil {
		o.State = string(observer.Held)
		o.Why = "an older tool holds " + path + whoInOld(d, protocol.CurrentName)
	}
	return o
}

// classify tells whether a directory is an old lock. What it says about the holder
// is what the old record says; that decides nothing.
func classify(d *directory, path string, entries []fs.DirEntry) *observer.OldLock {
	dialect, record := "", false
	for _, e := range entries {
		switch name := e.Name(); {
		case name == protocol.RecordName && e.Type().IsRegular():
			record = true
		case name == fenceName && e.IsDir():
			dialect = "mkdir"
		case strings.HasPrefix(name, tokenPrefix):
			dialect = "token"
		}
	}
	if record {
		switch r := readOldRecord(d, protocol.RecordName); {
		case r != nil && r.Token != "":
			dialect = "token"
		case r != nil && r.Hostname != "":
			dialect = "mkdir"
		}
	}
	if dialect == "" && len(entries) == 0 && looksLikeLock(filepath.Base(path)) {
		dialect = "mkdir"
	}
	if dialect == "" {
		return nil
	}
	return &observer.OldLock{Dialect: dialect, State: string(observer.Held), Path: path,
		Why: "an older tool holds " + path + whoInOld(d, "")}
}

type oldRecord struct {
	PID       int    `json:"pid"`
	Hostname  string `json:"hostname"`
	Token     string `json:"token"`
	StartedAt string `json:"startedAt"`
}

func readOldRecord(d vfs.Dir, name string) *oldRecord {
	data, err := vfs.ReadFile(d, name, protocol.MaxRecord)
	var r oldRecord
	if err != nil || json.Unmarshal(data, &r) != nil || r.PID <= 0 {
		return nil
	}
	return &r
}

// whoInOld says what the record of an old lock tells, for the end of a sentence.
func whoInOld(d vfs.Dir, below string) string {
	if below != "" {
		dir, err := d.OpenDir(below)
		if err != nil {
			return ""
		}
		defer dir.Close()
		d = dir
	}
	r := readOldRecord(d, protocol.RecordName)
	if r == nil {
		return "; it has left no readable record"
	}
	s := fmt.Sprintf("; its record names pid %d", r.PID)
	if r.Hostname != "" {
		s += " on " + observer.Command([]string{r.Hostname})
	}
	return s
}
