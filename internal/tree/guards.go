package tree

import (
	"errors"
	"fmt"
	"io/fs"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Guards is what the guards of the ttsc format say about one generation.
type Guards struct {
	// Pending: a command of the generation may still run; keep waiting.
	Pending bool
	// Quarantine says why nobody but an operator may retire the generation;
	// "" when no guard says so. Paths are what the guards retain.
	Quarantine string
	Paths      []string
	// Ours are guards that genlock made for this generation, by name. They
	// bind until the generation's witness proves its command gone.
	Ours []string
}

// Binding tells whether any guard forbids to reclaim or collect.
func (g Guards) Binding() bool { return g.Pending || g.Quarantine != "" }

// Guards reads the guards that bind generation id. Other formats have none. An
// unreadable guard binds like a malformed one: it may be about anything.
func (r *Root) Guards(id protocol.ID) (Guards, error) {
	if r.Format != protocol.TTSC {
		return Guards{}, nil
	}
	var d vfs.Dir
	err := vfs.Again(func() (err error) {
		d, err = r.Dir.OpenDir(protocol.GuardsName)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return Guards{}, nil
	}
	if err != nil {
		return Guards{Quarantine: UnsafeDir(r.Dir, protocol.GuardsName, err).Error()}, nil
	}
	defer d.Close()
	names, err := d.Names(0)
	if err != nil {
		return Guards{}, err
	}
	var all Guards
	for _, name := range names {
		if protocol.IsGuardName(name) {
			all.add(d, name, id)
		}
	}
	return all, nil
}

func (g *Guards) add(d vfs.Dir, name string, id protocol.ID) {
	var data []byte
	err := vfs.Again(func() (err error) {
		data, err = vfs.ReadFile(d, name, protocol.MaxRecord)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return // its owner took it back: it binds nobody any more
	}
	var guard *protocol.Guard
	if err == nil {
		guard, err = protocol.ParseGuard(name, data)
	}
	switch {
	case err != nil:
		g.Quarantine = err.Error()
	case !guard.Binds(id):
	case guard.Ours():
		g.Ours = append(g.Ours, name)
	case guard.State == protocol.GuardPending:
		g.Pending = true
	default:
		g.Quarantine = fmt.Sprintf("guard %s is unknown: %s", name, guard.Reason)
		g.Paths = append(g.Paths, guard.RetainedPaths...)
	}
}
