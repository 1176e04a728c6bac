package tree

import (
	"errors"
	"io/fs"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Generation is what one look saw in current, or in a tombstone. It may be old
// when it is read.
type Generation struct {
	// Dir is the directory, open: as long as it is, no other directory can
	// have the same device and inode.
	Dir  vfs.Dir
	Info vfs.Info
	// ID names the generation; "" when nothing in the directory names one.
	ID protocol.ID
	// Record is nil when it is missing or unusable; Problem says why.
	Record *protocol.Record
	// Witness is what the witness's name says. For a sound record it is made
	// from the record, and the file need not exist.
	Witness *protocol.Witness
	// Problem says in words what is wrong with the directory; "" when it is
	// a sound generation.
	Problem string
	// Complete: a valid task-complete lies in it.
	Complete bool
	// Empty: the directory has no entries and holds nothing (rule 1).
	Empty bool
	// Debris: neither generation, record nor witness (rule 10).
	Debris bool
	// Emptied: its record is gone, and another directory stands in for it as its
	// tombstone, since it could not be renamed. It is retired, and whoever has a
	// claim may finish what somebody began (rule 10).
	Emptied bool
	// named is the tombstone's name; "" for what was read in current.
	named protocol.ID
}

// Close closes the handle.
func (g *Generation) Close() { g.Dir.Close() }

// Party is the generation's holder as evidence wants it.
func (g *Generation) Party(kind vfs.Kind) evidence.Party {
	return evidence.Party{ID: g.ID, Dir: g.Dir, Record: g.Record, Witness: g.Witness,
		Kind: kind, Born: g.Info.ModTime}
}

// lookAgain bounds how often a look starts anew because the lock changed hands
// meanwhile. Each round means that somebody else made progress.
const lookAgain = 100

// ErrRestless: the lock changed hands at every one of many looks.
var ErrRestless = errors.New("the lock changes hands faster than it can be looked at")

// Current looks at the held generation; nil when there is none. What looks torn
// is believed only if current is still the same directory, and says the same,
// afterwards: a release between two reads is neither abandonment nor corruption,
// what somebody empties is not damaged, and neither is what was being recycled (rule 6).
//
// What persists is reported as itself (rule 9), not as a lock that is restless.
func (r *Root) Current() (*Generation, error) {
	restless := ErrRestless
	for range lookAgain {
		g, err := r.generation(r.Dir, protocol.CurrentName, "")
		if err == nil && (g == nil || g.Problem == "" && r.published(g)) {
			return g, nil
		}
		stands, serr := r.stands(g)
		if err == nil && serr == nil && stands {
			return g, nil
		}
		if g != nil {
			g.Close()
		}
		if err != nil && !vfs.IsVanished(err) {
			return nil, err
		}
		if serr != nil {
			return nil, serr
		}
		if err != nil {
			restless = err
		}
	}
	return nil, restless
}

// published tells whether what was read whole had been published: a directory that is
// recycled may be read when it names its next generation, and is not current yet, or
// never will be. Not being able to tell is no reason to doubt.
func (r *Root) published(g *Generation) bool {
	same, err := r.IsCurrent(g.Info.ID())
	return same || err != nil
}

// stands tells whether what was read of g, which looks torn, is true now.
//
// Where a generation is emptied its tombstone stands as long as anything in current
// tells its id. So whoever finds the id first, then no tombstone, and then the id
// again, has seen damage; otherwise the emptying came to its end meanwhile.
func (r *Root) stands(g *Generation) (bool, error) {
	if g == nil {
		return false, nil
	}
	same, err := r.IsCurrent(g.Info.ID())
	if err != nil || !same || g.Record != nil || g.ID == "" {
		return same, err
	}
	if g.Emptied, err = r.stoodIn(g); g.Emptied || err != nil {
		return true, err
	}
	return r.Stands(g)
}

// Stands tells whether what was read of g is there now. While a directory is recycled it
// is not current, and its ids never come again: so whoever finds the same
// contradiction in what is current before and after has seen damage. Evidence is looked for in g's
// directory, which whoever has retired it deletes: that none was found is worth
// something only if g stands afterwards (rule 6).
func (r *Root) Stands(g *Generation) (bool, error) {
	again, err := r.readAgain(g)
	if again == nil || err != nil {
		return false, vanishedIsFine(err)
	}
	defer again.Close()
	return again.Info.ID() == g.Info.ID() && again.ID == g.ID && again.Problem == g.Problem, nil
}

func (r *Root) readAgain(g *Generation) (*Generation, error) {
	if g.named != "" {
		return r.Tombstone(g.named)
	}
	return r.generation(r.Dir, protocol.CurrentName, "")
}

func vanishedIsFine(err error) error {
	if vfs.IsVanished(err) {
		return nil
	}
	return err
}

// stoodIn tells whether another directory than g is the tombstone of its id.
func (r *Root) stoodIn(g *Generation) (bool, error) {
	retired, err := r.Retired()
	if err != nil || retired == nil {
		return false, err
	}
	defer retired.Close()
	info, err := retired.Lstat(string(g.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.IsDir() && info.ID() != g.Info.ID(), err
}

// IsCurrent looks current up anew from the root by path and tells whether it is
// the directory id, which the caller holds open.
func (r *Root) IsCurrent(id vfs.ID) (bool, error) {
	var info vfs.Info
	err := vfs.Again(func() (err error) {
		info, err = r.Dir.Lstat(protocol.CurrentName)
		return err
	})
	if vfs.IsVanished(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return info.ID() == id, nil
}

// Tombstone opens the tombstone of id; nil when there is none. One that is deleted
// while it is read is none, and not a torn one (rule 6).
func (r *Root) Tombstone(id protocol.ID) (*Generation, error) {
	retired, err := r.Retired()
	if err != nil || retired == nil {
		return nil, err
	}
	defer retired.Close()
	g, err := r.generation(retired, string(id), id)
	if err == nil && (g == nil || g.Problem == "") || err != nil && !vfs.IsVanished(err) {
		return g, err
	}
	if _, lerr := retired.Lstat(string(id)); errors.Is(lerr, fs.ErrNotExist) {
		if g != nil {
			g.Close()
		}
		return nil, nil
	}
	return g, err
}

// Retired opens the place of the tombstones; nil when somebody removed it.
func (r *Root) Retired() (vfs.Dir, error) {
	d, err := r.Dir.OpenDir(protocol.RetiredName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, UnsafeDir(r.Dir, protocol.RetiredName, err)
	}
	return d, nil
}

// generation reads the directory name below d. In a tombstone the directory's
// own name has to agree as well.
func (r *Root) generation(d vfs.Dir, name string, named protocol.ID) (*Generation, error) {
	dir, err := d.OpenDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, UnsafeDir(d, name, err)
	}
	g := &Generation{Dir: dir, named: named}
	if g.Info, err = dir.Stat(); err == nil {
		err = g.read(named)
	}
	if err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}
