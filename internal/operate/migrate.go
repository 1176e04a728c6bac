package operate

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
)

// Migration looks at a directory and below, and tells every key that an old protocol
// holds or has littered. It writes nothing. Keys come in the order of their
// names, directory by directory.
func Migration(ctx context.Context, dir string, set legacy.Set, see func(Migrating) error, unreadable func(error)) error {
	m := &migration{ctx: ctx, fs: env.From(ctx).FS, set: set, see: see, unreadable: unreadable}
	return m.tree(dir)
}

type migration struct {
	ctx        context.Context
	fs         vfs.FS
	set        legacy.Set
	see        func(Migrating) error
	unreadable func(error)
}

// tree looks at one directory. Its names are in memory; those below are not.
func (m *migration) tree(path string) error {
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	w := &walker{ctx: m.ctx, fs: m.fs}
	d, f, err := w.open(path)
	if err != nil {
		if !vfs.IsVanished(err) && !vfs.IsNotDir(err) {
			m.unreadable(err)
		}
		return nil
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	defer d.Close()
	if err != nil && !vfs.IsVanished(err) {
		m.unreadable(err)
	}
	keys, below := m.sort(d, entries)
	for _, base := range slices.Sorted(mapKeys(keys)) {
		if err := m.key(d, keys[base]); err != nil {
			return err
		}
	}
	for _, name := range below {
		if err := m.tree(d.at(name)); err != nil {
			return err
		}
	}
	return nil
}

func mapKeys(keys map[string]*Migrating) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range keys {
			if !yield(k) {
				return
			}
		}
	}
}

// sort tells keys, what lies beside them, and directories to enter apart.
func (m *migration) sort(d *directory, entries []fs.DirEntry) (keys map[string]*Migrating, below []string) {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	keys = make(map[string]*Migrating)
	key := func(base string) *Migrating {
		if keys[base] == nil {
			keys[base] = &Migrating{Schema: protocol.Schema, Lock: d.at(base), Held: []*legacy.Sight{}, Litter: []Litter{}, Todo: []string{}}
		}
		return keys[base]
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() {
			continue
		}
		if base, ok := strings.CutSuffix(name, protocol.RootSuffix); ok && base != "" && m.isRoot(d, name, protocol.MarkerName) {
			key(base).Genlock = true
			continue
		}
		if _, _, ok := protocol.ParseRootCandidateName(name); ok {
			continue
		}
		rest, ok := legacy.RestAt(name)
		switch {
		case ok && rest.Kind == legacy.Root && !m.isRoot(d, name, v2MarkerName):
			below = append(below, name)
		case ok:
			m.count(d, key(rest.Base), name, rest)
		case m.isOld(d, name):
			key(name)
		default:
			below = append(below, name)
		}
	}
	return keys, below
}

func (m *migration) isRoot(d *directory, name, marker string) bool {
	dir, err := d.OpenDir(name)
	if err != nil {
		return !vfs.IsVanished(err) // it is there, and what it is cannot be seen
	}
	defer dir.Close()
	_, err = dir.Lstat(marker)
	return err == nil
}

func (m *migration) isOld(d *directory, name string) bool {
	w := &walker{ctx: m.ctx, fs: m.fs}
	dir, f, err := w.open(d.at(name))
	if err != nil {
		return !vfs.IsVanished(err) && looksLikeLock(name)
	}
	defer dir.Close()
	defer f.Close()
	entries, _ := f.ReadDir(batch)
	return isOldLock(dir, d.at(name), entries)
}

// count adds what lies at name to the key's litter. Of a v2 root it is the
// tombstones in it.
func (m *migration) count(d *directory, k *Migrating, name string, rest legacy.Rest) {
	if rest.Kind != legacy.Root {
		k.add(rest.Dialect, rest.Kind, d.at(name), 1)
		return
	}
	k.add(rest.Dialect, legacy.Root, d.at(name), 1)
	root, err := d.OpenDir(name)
	if err != nil {
		return
	}
	defer root.Close()
	retired, err := root.OpenDir(protocol.RetiredName)
	if err != nil {
		return
	}
	defer retired.Close()
	if names, err := retired.Names(0); err == nil {
		k.add(rest.Dialect, legacy.Tombstone, filepath.Join(d.at(name), protocol.RetiredName), len(names))
	}
}

// key looks at one key and tells it if old protocols have to do with it.
func (m *migration) key(d *directory, k *Migrating) error {
	sights, err := m.set.See(m.ctx, legacy.Place{Lock: k.Lock, Format: formatAt(d, filepath.Base(k.Lock))})
	if err != nil {
		k.Error = err.Error()
	}
	k.Held = append(k.Held, sights...)
	k.State = "littered"
	switch {
	case len(k.Held) > 0 || k.Error != "":
		k.State = "held"
	case len(k.Litter) == 0:
		return nil
	}
	k.plan()
	return m.see(*k)
}

// formatAt is the format of our root beside the key, if there is one.
func formatAt(d *directory, base string) protocol.Format {
	dir, err := d.OpenDir(protocol.RootName(base))
	if err != nil {
		return protocol.Genlock
	}
	defer dir.Close()
	marker, err := readMarker(dir)
	if format := protocol.FormatIn(marker); err == nil && format != "" {
		return format
	}
	return protocol.Genlock
}
