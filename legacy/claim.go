package legacy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// claimed is the record as we renamed it; nothing for a lock without one.
type claimed struct{ from, to string }

// claimRecord renames the judged record to a name that only one can give it, and
// verifies that it is still the one. Whoever loses finds it gone.
func claimRecord(s *slot, ids []identity) (claimed, error) {
	if len(ids) == 0 {
		return claimed{}, nil
	}
	c := claimed{from: ids[0].file, to: quarantineFile}
	err := renameNew(s.dir, c.from, c.to)
	if c.from == c.to || errors.Is(err, fs.ErrExist) {
		id, ierr := s.env.NewID()
		if ierr != nil {
			return claimed{}, ierr
		}
		c.to = quarantineFiles + tokenOf(id) + ".json"
		err = renameNew(s.dir, c.from, c.to)
	}
	if vfs.IsVanished(err) {
		return claimed{}, fmt.Errorf("%w: %w", ErrMoved, err)
	}
	if err != nil {
		return claimed{}, err
	}
	data, err := readFile(s.dir, c.to)
	if err != nil {
		return claimed{}, keep(err, giveBack(s, c))
	}
	if !bytes.Equal(data, ids[0].data) {
		return claimed{}, giveBack(s, c)
	}
	return c, nil
}

// giveBack undoes claimRecord. It says ErrMoved: look again.
func giveBack(s *slot, c claimed) error {
	if c.to == "" {
		return ErrMoved
	}
	err := vfs.Again(func() error { return renameNew(s.dir, c.to, c.from) })
	if err == nil || absent(err) || errors.Is(err, fs.ErrExist) {
		return ErrMoved
	}
	return err
}

// renameNew renames without replacing, within the directory of one lock.
func renameNew(d vfs.Dir, from, to string) error {
	if from == to {
		return fs.ErrExist
	}
	err := d.Rename(from, d, to, vfs.NoReplace)
	if !vfs.IsUnsupported(err) {
		return err
	}
	if _, lerr := d.Lstat(to); lerr == nil {
		return fs.ErrExist
	}
	return d.Rename(from, d, to, vfs.Plain)
}

// onlyIdentity tells whether the directory still names nobody but those judged.
func onlyIdentity(d vfs.Dir, judged []identity, c claimed) (bool, error) {
	now, err := identities(d)
	if err != nil {
		return false, err
	}
	for _, id := range now {
		known := false
		for i, j := range judged {
			name := j.file
			if i == 0 && c.to != "" {
				name = c.to
			}
			known = known || id.file == name && bytes.Equal(id.data, j.data)
		}
		if !known {
			return false, nil
		}
	}
	return true, nil
}

// claimOwn is claimRecord for our own release: ErrLost when the record is not
// ours any more. One that moved is looked at anew: our own rename may have happened
// although it reported failure.
func claimOwn(s *slot, generation protocol.ID) (err error) {
	for range lookAgain {
		var id *identity
		if id, err = readIdentity(s.dir, recordName); err != nil {
			return err
		}
		if id == nil {
			// Claimed before, by an earlier try or by somebody who judged us:
			// where the directory is decides.
			return nil
		}
		if id.rec == nil || id.rec.Generation != generation {
			return ErrLost
		}
		if _, err = claimRecord(s, []identity{*id}); !errors.Is(err, ErrMoved) {
			return err
		}
	}
	return err
}
