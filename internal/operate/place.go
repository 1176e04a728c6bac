package operate

import (
	"context"
	"path/filepath"
	"strings"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// place is one thing that a walk found. Its handles are open during the visit only.
type place struct {
	lock   string // absolute path L
	dir    *directory
	name   string // what was found below dir
	root   vfs.Dir
	format protocol.Format // what the marker asks for
	err    error           // why an unusable one could not be opened or read; nil if it could
}

// directory is one directory of the walk.
type directory struct {
	vfs.Dir
	info vfs.Info
	kind vfs.Kind
}

func openDirectory(path string, fs vfs.FS) (*directory, error) {
	dir, err := fs.OpenParent(path)
	if err != nil {
		return nil, err
	}
	d := &directory{Dir: dir}
	if d.info, err = dir.Stat(); err == nil {
		d.kind, err = dir.Kind()
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return d, nil
}

// visitor is what a verb does with what a walk finds. An error ends the walk.
type visitor interface {
	// root is a lock's coordination root; p.root is open.
	root(p place) error
	// unusable stands where a coordination root should.
	unusable(p place) error
	// candidate is a root in flight, or on its way out.
	candidate(p place) error
	// old is a lock of an older protocol, without a root of ours beside it.
	old(p place) error
	// unreadable is a directory that cannot be looked into.
	unreadable(path string, err error) error
}

// looksLikeLock tells whether a path was probably meant to be a lock's. It decides
// only whether something odd is worth a line.
func looksLikeLock(base string) bool { return strings.HasSuffix(base, ".lock") }

func (d *directory) at(name string) string { return filepath.Join(d.Path(), name) }

// look is the whole look at the lock, old locks included: what status shows.
func (p place) look(ctx context.Context) (*observer.Observation, error) {
	return genlock.New(p.lock, &genlock.Options{Format: p.format}).Status(ctx)
}
