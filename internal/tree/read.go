package tree

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// read fills g from its directory. Only what prevents looking at all is an error:
// no permission, an I/O error, an odd file type. What is missing, torn or
// contradictory is a Problem.
func (g *Generation) read(named protocol.ID) error {
	id, problem, err := ReadID(g.Dir)
	if err != nil {
		return err
	}
	rec, recProblem, err := ReadRecord(g.Dir)
	if err != nil {
		return err
	}
	g.ID, g.Record, g.Problem = id, rec, problem
	if g.Problem == "" {
		g.Problem = recProblem
	}
	if rec != nil && id != "" && rec.Generation != id {
		g.Problem, g.Record = "generation and owner.json name different generations", nil
	}
	if err := g.findWitness(); err != nil {
		return err
	}
	if named != "" && g.ID != named {
		if g.ID != "" {
			g.Problem = "the tombstone's name and its generation differ"
		}
		g.ID, g.Record = named, nil
	}
	return g.readCompletion()
}

// findWitness needs no listing when the record is sound and its witness is there.
// Otherwise the name of the witness decides which generation this is: names
// survive a power cut, content does not, and a recycled directory can show its
// previous token.
func (g *Generation) findWitness() error {
	if rec := g.Record; rec != nil && g.Problem == "" {
		if rec.Process == nil {
			return nil
		}
		g.Witness = WitnessOf(g.ID, rec.Process)
		if _, err := g.Dir.Lstat(g.Witness.Name()); err == nil {
			return nil
		}
	}
	names, err := g.Dir.Names(0)
	if err != nil {
		return err
	}
	g.Empty = len(names) == 0
	anything, found := false, false
	for _, name := range names {
		if w, ok := protocol.ParseWitness(name); ok {
			g.Witness, found = &w, true
		}
		anything = anything || name == protocol.GenerationName || name == protocol.RecordName
	}
	g.Debris = !g.Empty && g.Witness == nil && !anything
	if found {
		g.adoptWitness()
	} else if g.ID == "" && g.Record != nil {
		g.ID = g.Record.Generation
	}
	return nil
}

func (g *Generation) adoptWitness() {
	w := g.Witness
	if g.ID != "" && g.ID != w.Of {
		g.Problem = "generation and witness name different generations"
	}
	if g.Record != nil && (g.ID != w.Of || g.Record.Generation != w.Of) {
		g.Record = nil
	}
	g.ID = w.Of
}

// WitnessOf is the witness that a record of ours promises.
func WitnessOf(of protocol.ID, p *protocol.Process) *protocol.Witness {
	w := &protocol.Witness{Of: of, Machine: p.Machine, Boot: p.Boot}
	if w.Machine == "" {
		w.Machine = protocol.NoMachine
	}
	if w.Boot == "" {
		w.Boot = protocol.NoBoot
	}
	return w
}

func (g *Generation) readCompletion() error {
	if g.Record == nil {
		return nil
	}
	data, err := vfs.ReadFile(g.Dir, protocol.CompletionName, 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unsafeFile(g.Dir, protocol.CompletionName, err)
	}
	nonce, ok := protocol.ParseIDFile(data)
	g.Complete = ok && nonce == g.Record.Nonce
	return nil
}

// ReadID reads the generation file of a generation.
func ReadID(d vfs.Dir) (id protocol.ID, problem string, err error) {
	data, err := vfs.ReadFile(d, protocol.GenerationName, protocol.MaxRecord)
	if problem, err = missing(d, protocol.GenerationName, err); problem != "" || err != nil {
		return "", problem, err
	}
	id, ok := protocol.ParseIDFile(data)
	if !ok {
		return "", "its generation file is " + describe(data), nil
	}
	return id, "", nil
}

// ReadRecord reads owner.json of a generation or a claim.
func ReadRecord(d vfs.Dir) (rec *protocol.Record, problem string, err error) {
	data, err := vfs.ReadFile(d, protocol.RecordName, protocol.MaxRecord)
	if problem, err = missing(d, protocol.RecordName, err); problem != "" || err != nil {
		return nil, problem, err
	}
	rec, err = protocol.ParseRecord(data)
	if err != nil {
		return nil, protocol.RecordName + ": " + err.Error(), nil
	}
	return rec, "", nil
}

// missing sorts what reading a file came to: a problem of the generation, or an
// error of the reader.
func missing(d vfs.Dir, name string, err error) (problem string, _ error) {
	switch {
	case err == nil:
		return "", nil
	case errors.Is(err, fs.ErrNotExist):
		return "its " + name + " is missing", nil
	case errors.Is(err, vfs.ErrTooBig):
		return "its " + name + " is too big", nil
	}
	return "", unsafeFile(d, name, err)
}

func describe(data []byte) string {
	if len(data) == 0 {
		return "empty"
	}
	for _, b := range data {
		if b != 0 {
			return "not 32 hex digits"
		}
	}
	return "all NUL bytes"
}
