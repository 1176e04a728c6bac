package operate

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"genlock.dev/genlock/internal/vfs"
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
			return true, w.oldAlone(d, lock)
		}
	}
	if !isOldLock(d, path, entries) {
		return false, nil
	}
	return true, w.oldAlone(d, path)
}

func (w *walker) oldAlone(d *directory, lock string) error {
	if info, err := w.fs.Lstat(lock + protocol.RootSuffix); err == nil && info.IsDir() {
		return nil
	}
	return w.old(place{lock: lock, dir: d})
}

// oldBeside visits the old lock at a single lock's own path, and one of v2 beside
// it, if there is no root of ours that tells. What stands there and is no directory
// keeps everybody from the lock.
func (w *walker) oldBeside(d *directory, lock string) error {
	for _, path := range []string{lock, lock + v2Suffix} {
		dir, err := d.OpenDir(filepath.Base(path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil && w.rootless(lock):
			return w.unusable(place{lock: lock, dir: d, name: filepath.Base(path), format: protocol.Genlock})
		case err != nil:
			continue
		}
		dir.Close()
		if err := w.oldAt(path); err != nil {
			return err
		}
	}
	return nil
}

// oldAt visits the directory path if it is an old lock.
func (w *walker) oldAt(path string) error {
	dir, f, err := w.open(path)
	if err != nil {
		return nil // gone meanwhile
	}
	defer dir.Close()
	defer f.Close()
	entries, _ := f.ReadDir(batch)
	_, err = w.oldLock(dir, path, entries)
	return err
}

func (w *walker) rootless(lock string) bool {
	_, err := w.fs.Lstat(lock + protocol.RootSuffix)
	return errors.Is(err, fs.ErrNotExist)
}

// isOldLock tells whether a directory is one, by the names in it and by its record:
// enough to give it a row. Whose it is, and whether that lives, the dialects tell.
func isOldLock(d *directory, path string, entries []fs.DirEntry) bool {
	for _, e := range entries {
		switch name := e.Name(); {
		case name == fenceName && e.IsDir(), strings.HasPrefix(name, tokenPrefix):
			return true
		case name == protocol.RecordName && e.Type().IsRegular():
			r, err := readOldRecord(d, name)
			if r != nil && (r.Token != "" || r.Hostname != "") || err != nil && looksLikeLock(filepath.Base(path)) {
				return true
			}
		}
	}
	return len(entries) == 0 && looksLikeLock(filepath.Base(path))
}

type oldRecord struct {
	PID      int    `json:"pid"`
	Hostname string `json:"hostname"`
	Token    string `json:"token"`
}

// readOldRecord is nil for what is none; an error, for what cannot be read.
func readOldRecord(d vfs.Dir, name string) (*oldRecord, error) {
	data, err := vfs.ReadFile(d, name, protocol.MaxRecord)
	var r oldRecord
	switch {
	case vfs.IsVanished(err), errors.Is(err, vfs.ErrTooBig):
		return nil, nil
	case err != nil:
		return nil, err
	case json.Unmarshal(data, &r) != nil || r.PID <= 0:
		return nil, nil
	}
	return &r, nil
}
