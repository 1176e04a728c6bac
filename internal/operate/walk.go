package operate

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// batch is how many names of a directory are in memory at a time.
const batch = 1024

// walker finds locks in a directory and below, in a stream: a subdirectory is
// entered when its name comes up, so that memory stays flat however many there
// are. No link is followed and no coordination root is entered.
type walker struct {
	ctx context.Context
	fs  vfs.FS
	visitor
}

// walk visits everything that target names.
func walk(ctx context.Context, t Target, v visitor) error {
	w := &walker{ctx, env.From(ctx).FS, v}
	if t.Lock {
		return w.one(t.Path)
	}
	return w.tree(t.Path)
}

// tree walks one directory. Names within a batch come in order.
func (w *walker) tree(path string) error {
	d, f, err := w.open(path)
	if err != nil {
		return w.unreadableUnlessGone(path, err)
	}
	defer d.Close()
	defer f.Close()
	for first := true; ; first = false {
		entries, err := f.ReadDir(batch)
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		if first {
			if done, err := w.oldLock(d, path, entries); done || err != nil {
				return err
			}
		}
		for _, e := range entries {
			if w.ctx.Err() != nil {
				return context.Cause(w.ctx)
			}
			if err := w.entry(d, e); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return w.unreadableUnlessGone(path, err)
		}
	}
}

func (w *walker) open(path string) (*directory, *os.File, error) {
	d, err := openDirectory(path, w.fs)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		d.Close()
		return nil, nil, err
	}
	return d, f, nil
}

func (w *walker) unreadableUnlessGone(path string, err error) error {
	if vfs.IsVanished(err) || vfs.IsNotDir(err) {
		return nil
	}
	return w.unreadable(path, err)
}

func (w *walker) entry(d *directory, e fs.DirEntry) error {
	name := e.Name()
	base, isRoot := strings.CutSuffix(name, protocol.RootSuffix)
	switch {
	case isRoot && protocol.CheckLockPath(base) == nil && (e.IsDir() || looksLikeLock(base)):
		return w.rootAt(d, name, base)
	case !e.IsDir():
		return nil
	}
	if base, _, ok := protocol.ParseRootCandidateName(name); ok {
		return w.candidate(place{lock: d.at(base), dir: d, name: name})
	}
	return w.tree(d.at(name))
}

// rootAt visits a root, or enters a directory that only happens to be named like
// one.
func (w *walker) rootAt(d *directory, name, base string) error {
	p := place{lock: d.at(base), dir: d, name: name, format: protocol.Genlock}
	dir, err := d.OpenDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if p.err = err; err != nil {
		return w.unusable(p)
	}
	defer dir.Close()
	p.root = dir
	marker, err := readMarker(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !looksLikeLock(base) && !hasParts(dir):
		return w.tree(d.at(name))
	case err != nil:
		p.err = err
		return w.unusable(p)
	}
	p.format = protocol.FormatIn(marker)
	if string(marker) != string(p.format.Marker()) {
		return w.unusable(p)
	}
	return w.root(p)
}

// readMarker is vfs.ReadFile without looking twice at what is right: exactly the
// bytes of a marker are one, whatever they come from.
func readMarker(dir vfs.Dir) ([]byte, error) {
	f, err := dir.Open(protocol.MarkerName, vfs.Read, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, 128)
	n, err := f.Read(buf)
	if err == io.EOF {
		err = nil
	}
	return buf[:n], err
}

// hasParts tells whether a directory without a marker is the rest of a root.
func hasParts(dir vfs.Dir) bool {
	for _, name := range []string{protocol.CurrentName, protocol.RetiredName} {
		if info, err := dir.Lstat(name); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// one visits a single lock, and its root candidates.
func (w *walker) one(lock string) error {
	d, f, err := w.open(filepath.Dir(lock))
	if err != nil {
		return err
	}
	defer d.Close()
	defer f.Close()
	base := filepath.Base(lock)
	if err := w.rootAt(d, protocol.RootName(base), base); err != nil {
		return err
	}
	if err := w.oldBeside(d, lock); err != nil {
		return err
	}
	for w.ctx.Err() == nil {
		names, err := f.Readdirnames(batch)
		for _, name := range names {
			if b, _, ok := protocol.ParseRootCandidateName(name); ok && b == base {
				if err := w.candidate(place{lock: lock, dir: d, name: name}); err != nil {
					return err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(w.ctx)
}
