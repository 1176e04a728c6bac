package operate

import (
	"context"
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// List calls see with every lock that target names, as it finds them: one look
// each, in no order beyond that of a directory's names. Nothing is written.
// Directories that cannot be read are told to unreadable, and the rest goes on.
func List(ctx context.Context, t Target, see func(*observer.Observation) error, unreadable func(path string, err error)) error {
	return walk(ctx, t, &lister{ctx, see, unreadable})
}

type lister struct {
	ctx    context.Context
	see    func(*observer.Observation) error
	cannot func(path string, err error)
}

func (l *lister) root(p place) error {
	if o := idle(p); o != nil {
		return l.see(o)
	}
	return l.unusable(p)
}

// unusable is the whole look, whose outcome is an observation in any case.
func (l *lister) unusable(p place) error {
	o, err := p.look(l.ctx)
	if o == nil {
		return err
	}
	return l.see(o)
}

func (l *lister) candidate(place) error { return nil }

func (l *lister) old(p place) error { return l.unusable(p) }

func (l *lister) unreadable(path string, err error) error {
	l.cannot(path, err)
	return nil
}

// idle is the quick look at a lock that nobody holds: nil when it takes a whole one.
// Of a tree of locks nearly all are idle, so this is what a list costs.
func idle(p place) *observer.Observation {
	if _, err := p.root.Lstat(protocol.CurrentName); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if info, err := p.root.Lstat(protocol.QueueName); err == nil && !info.IsRegular() {
		return nil
	}
	base := p.name[:len(p.name)-len(protocol.RootSuffix)]
	for _, old := range []string{base, base + v2Suffix} {
		if _, err := p.dir.Lstat(old); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	n, ok := tombstones(p)
	if !ok {
		return nil
	}
	o := &observer.Observation{Schema: protocol.Schema, Lock: p.lock, Format: p.format, State: observer.Free, Tombstones: n}
	if _, err := p.root.Lstat(protocol.LastName); err == nil {
		o.Last = (&tree.Root{Dir: p.root}).Last()
	}
	return o
}

// tombstones counts them without listing, where that can be done.
func tombstones(p place) (n int, ok bool) {
	info, err := p.root.Lstat(protocol.RetiredName)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, true
	}
	if err != nil || !info.IsDir() {
		return 0, false
	}
	return subdirectories(info, p.dir.kind)
}

// subdirectories tells how many directories lie in one, by its number of links, on
// the file systems that count them so. One link means that they do not.
func subdirectories(dir vfs.Info, kind vfs.Kind) (n int, ok bool) {
	switch kind.Name {
	case "ext4", "xfs", "tmpfs", "f2fs", "overlay":
		return int(dir.Nlink) - 2, dir.Nlink >= 2
	}
	return 0, false
}
