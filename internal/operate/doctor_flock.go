package operate

import (
	"errors"
	"fmt"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// tryFlock tries, once on each file system, whether its locks exclude.
func (d *doctor) tryFlock(p place) error {
	dev := p.dir.info.Dev
	if _, tried := d.devices[dev]; tried || d.env.Machine.Self().NoOpenFiles {
		return nil
	}
	works, err := flockWorks(d.env, p)
	d.devices[dev] = err == nil
	if err != nil || works {
		return nil // where nothing may be written the records tell
	}
	return d.noFlock(p, "a second lock of a file was granted while the first was held")
}

// recordedFlock asks the record of a holder, on a file system on which nothing
// could be tried.
func (d *doctor) recordedFlock(p place, r *tree.Root) error {
	if known, tried := d.devices[p.dir.info.Dev]; known || !tried {
		return nil
	}
	g, err := r.Current()
	if err != nil || g == nil {
		return nil
	}
	defer g.Close()
	if g.Record == nil || !g.Record.Ours() || g.Record.Process.Witness != protocol.WitnessNone {
		return nil
	}
	d.devices[p.dir.info.Dev] = true
	return d.noFlock(p, fmt.Sprintf("generation %s has recorded that its lock did not exclude", g.ID))
}

func (d *doctor) noFlock(p place, evidence string) error {
	return d.found(Finding{Kind: "flock", Path: p.dir.Path(), Evidence: evidence,
		What: fmt.Sprintf("OS locks do not exclude on this file system (%s), so a command that outlives its genlock does not keep its lock",
			p.dir.kind.Name),
		Safe: true, Ignore: "yes, as long as no command outlives the genlock that started it: exclusion does not rest on OS locks",
		Mend: "put the cache on a local file system, or mount this one so that flock(2) works: findmnt -T " + quote(p.dir.Path())})
}

// flockWorks makes a directory beside the locks, in which a second open file has
// to find the lock of the first one taken. What a crash leaves of it has the name
// of a root candidate, which prune removes.
func flockWorks(e *env.Env, p place) (works bool, err error) {
	id, err := e.NewID()
	if err != nil {
		return false, err
	}
	name := protocol.RootCandidateName(".genlock-doctor", id)
	if err := p.dir.Mkdir(name, 0o700); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, vfs.RemoveAll(p.dir, name, nil)) }()
	dir, err := p.dir.OpenDir(name)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	first, err := dir.Open("flock", vfs.Create, 0o600)
	if err != nil {
		return false, err
	}
	defer first.Close()
	second, err := dir.Open("flock", vfs.Read, 0)
	if err != nil {
		return false, err
	}
	defer second.Close()
	if first.Flock(vfs.Exclusive) != nil {
		return false, nil // it cannot lock at all
	}
	return vfs.IsBusy(second.Flock(vfs.Shared)), nil
}
