// Package prepare writes the directory of a holder or a claimant whole, under a
// name that nobody acts on, so that one rename makes it known (rules 1 and 3).
package prepare

import (
	"io/fs"

	"genlock.dev/genlock/internal/discard"
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Spec says whose directory it is.
type Spec struct {
	// Name is the directory to make in the root.
	Name string
	// ID is the generation or the claim; the witness is named after it.
	ID protocol.ID
	// Generation is what the record names: for a claim the one claimed.
	Generation protocol.ID
	// Line: write the generation file, which claims do not have.
	Line  bool
	About *protocol.About
	Hold  []string
}

// Party is a complete directory that is not known to anybody yet, and the open
// witness that testifies for it.
type Party struct {
	Name    string
	Dir     vfs.Dir
	Info    vfs.Info
	Witness vfs.File
	Record  *protocol.Record
	length  int // of the record's file
	files   rewritten
}

// Make writes the directory. Its witness is locked before anything can be judged
// by it. On failure everything made so far is on its way out again.
func Make(r *tree.Root, spec Spec) (*Party, error) {
	if err := r.Dir.Mkdir(spec.Name, r.DirMode()); err != nil {
		return nil, err
	}
	p := &Party{Name: spec.Name}
	var err error
	if p.Dir, err = r.Dir.OpenDir(spec.Name); err == nil {
		err = p.fill(r, spec)
	}
	if err != nil {
		p.Abandon(r)
		return nil, err
	}
	return p, nil
}

func (p *Party) fill(r *tree.Root, spec Spec) (err error) {
	if p.Info, err = p.Dir.Stat(); err != nil {
		return err
	}
	// The umask may have taken what the root's mode allows to its group.
	narrowed := p.Info.Mode.Perm() != r.DirMode()
	if narrowed {
		special := p.Info.Mode & (fs.ModeSetgid | fs.ModeSticky)
		if err = p.Dir.Chmod(r.DirMode() | special); err != nil {
			return err
		}
	}
	nonce, err := r.Env.NewID()
	if err != nil {
		return err
	}
	mode := r.FileMode()
	witness, process, err := evidence.TakeWitness(r.Env.Machine, sameKind{p.Dir, r.Kind}, spec.ID, nonce, mode)
	if err != nil {
		return err
	}
	p.Witness = witness
	if narrowed {
		if err = witness.Chmod(mode); err != nil {
			return err
		}
	}
	p.Record = record(r, spec, nonce, process)
	return p.write(spec, mode, narrowed)
}

// sameKind is a directory made in a root: on the same file system.
type sameKind struct {
	vfs.Dir
	kind vfs.Kind
}

func (d sameKind) Kind() (vfs.Kind, error) { return d.kind, nil }

func (p *Party) write(spec Spec, mode fs.FileMode, narrowed bool) error {
	if spec.Line {
		if err := write(p.Dir, protocol.GenerationName, spec.ID.Line(), mode, narrowed); err != nil {
			return err
		}
	}
	data, err := p.Record.Encode()
	if err == nil && len(data) > protocol.MaxRecord {
		// No reader would accept it. What only people read makes room.
		p.Record.About = nil
		data, err = p.Record.Encode()
	}
	if err != nil {
		return err
	}
	p.length = len(data)
	return write(p.Dir, protocol.RecordName, data, mode, narrowed)
}

func write(d vfs.Dir, name string, data []byte, mode fs.FileMode, narrowed bool) error {
	f, err := d.Open(name, vfs.Create, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && narrowed {
		err = f.Chmod(mode)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// startLayout is RFC 3339 with a fixed length, so that a record can be written over
// another one.
const startLayout = "2006-01-02T15:04:05.000000000Z07:00"

func record(r *tree.Root, spec Spec, nonce protocol.ID, process *protocol.Process) *protocol.Record {
	self := r.Env.Machine.Self()
	host := self.Hostname
	if host == "" {
		host = "unknown"
	}
	// Foreign clients judge by host name and pid. They must see another host
	// rather than judge a pid that they cannot see.
	if r.Format.Foreign() && !self.InitialPIDNS {
		host += "/pidns:" + string(self.PIDNS)
	}
	return &protocol.Record{
		Generation: spec.Generation, Nonce: nonce, Hostname: host, PID: self.PID,
		StartedAt: r.Env.Clock.Now().UTC().Format(startLayout),
		Process:   process, About: spec.About, Hold: spec.Hold,
	}
}

// Abandon takes back a directory that was never published, and closes it. What
// cannot be deleted now is litter with a free witness.
func (p *Party) Abandon(r *tree.Root) {
	discard.Away(r, r.Dir, p.Name, p.Close)
}

// Close ends the testimony and closes the directory.
func (p *Party) Close() {
	if p.Witness != nil {
		p.Witness.Close()
		p.Witness = nil
	}
	p.files.close()
	p.files = rewritten{}
	if p.Dir != nil {
		p.Dir.Close()
		p.Dir = nil
	}
}
