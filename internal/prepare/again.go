package prepare

import (
	"errors"
	"io"

	"genlock.dev/genlock/internal/discard"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// rewritten are the open files of a directory that was recycled, for the next time.
type rewritten struct{ line, record vfs.File }

func (f *rewritten) close() {
	for _, f := range []vfs.File{f.line, f.record} {
		if f != nil {
			f.Close()
		}
	}
}

var errLength = errors.New("the record has another length than the one before")

// Again makes, of the directory that the last turn left in r, the one of this turn,
// under the name that it has. nil when there is none or it does not serve; then
// nothing is left of it, and Make makes one.
func Again(r *tree.Root, spec Spec) *Party {
	p, _ := r.Spare.(*Party)
	if p == nil {
		return nil
	}
	r.Spare = nil
	if err := p.rewrite(r, spec); err != nil {
		p.Discard(r)
		return nil
	}
	return p
}

// rewrite goes from the witness's name to the generation file, which comes last. The
// record lies in between, so that whoever still has the directory open, from when
// it was another generation, and reads the generation file first and looks for the
// witness last, finds that these two do not agree if anything changed meanwhile
// (rule 6). Nothing is truncated: what is written has the length of what was there.
func (p *Party) rewrite(r *tree.Root, spec Spec) error {
	nonce, err := r.Env.NewID()
	if err != nil {
		return err
	}
	process := p.Record.Process
	rec := record(r, spec, nonce, process)
	data, err := rec.Encode()
	if err == nil && len(data) != p.length {
		err = errLength
	}
	if err != nil {
		return err
	}
	if err := p.open(); err != nil {
		return err
	}
	was, is := tree.WitnessOf(p.Record.Generation, process).Name(), tree.WitnessOf(spec.ID, process).Name()
	if err := p.Dir.Rename(was, p.Dir, is, vfs.Plain); err != nil {
		return err
	}
	if err := over(p.Witness, nonce.Line()); err != nil {
		return err
	}
	if err := over(p.files.record, data); err != nil {
		return err
	}
	p.Record = rec
	return over(p.files.line, spec.ID.Line())
}

func (p *Party) open() (err error) {
	if p.files.line == nil {
		p.files.line, err = p.Dir.Open(protocol.GenerationName, vfs.ReadWrite, 0)
	}
	if err == nil && p.files.record == nil {
		p.files.record, err = p.Dir.Open(protocol.RecordName, vfs.ReadWrite, 0)
	}
	return err
}

func over(f vfs.File, data []byte) error {
	n, err := f.WriteAt(data, 0)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite // half of it is the record of another generation
	}
	return err
}

// Discard deletes a directory that was left to be recycled. It is ours alone: what was
// renamed away from its tombstone has a name that nobody else acts on (rule 8).
func (p *Party) Discard(r *tree.Root) {
	p.Close()
	discard.Delete(r, p.Name)
}
