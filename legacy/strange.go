package legacy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// enoughNames is more than any old lock holds.
const enoughNames = 64

// doubt is about a directory that is about to be taken away: it is an old lock only
// because it stands at L and, perhaps, because there is a record in it. One that holds
// what no old lock does is somebody's own directory, to which a wrong path led, or into
// which he has put something. It blocks, and nobody moves or deletes it, not even on an
// operator's word.
func (s *slot) doubt(sight *Sight, rec bool) (*Sight, error) {
	if rec && sight.Verdict == Alive && !s.at.word {
		return sight, nil // nobody means to touch it, and a look stays cheap
	}
	names, err := s.dir.Names(enoughNames)
	if err != nil {
		return nil, err
	}
	strangers := slices.DeleteFunc(names, ofOldLock)
	if len(strangers) == 0 {
		return sight, nil
	}
	said := "it holds " + several(strangers) + ", which no old lock does, so "
	if rec {
		sight.Why = said + "nobody may move it; of its holder: " + sight.Why
	} else {
		sight.Why, sight.current = said+"it is probably no lock at all", false
	}
	sight.Verdict, sight.Strange, sight.Next = Undecidable, true, ""
	return sight, nil
}

func several(names []string) string {
	const most = 3
	slices.Sort(names)
	var b strings.Builder
	for i, name := range names {
		switch {
		case i == most:
			return b.String() + fmt.Sprintf(" and %d more", len(names)-most)
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(clean(name))
	}
	return b.String()
}

// ofOldLock tells names that any of the dialects, or a file system below them, gives to
// what lies in L.
func ofOldLock(name string) bool {
	const renamedByNFS = ".nfs"
	return strings.HasPrefix(name, recordName) || name == fenceDir || strings.HasPrefix(name, tempPrefix) ||
		strings.HasPrefix(name, renamedByNFS)
}

// ofOldGeneration tells names that lie in a generation of v2, or in a lock at L.
func ofOldGeneration(name string) bool { return name == protocol.GenerationName || ofOldLock(name) }

// ofLitter tells names of whatever an old protocol, or hold mode, leaves.
func ofLitter(name string) bool {
	return name == v2MarkerName || name == protocol.RetiredName || name == fenceRecord || ofOldGeneration(name)
}

// holdsOnly tells whether the directory holds only such names.
func holdsOnly(d vfs.Dir, of func(string) bool) (bool, error) {
	names, err := d.Names(0)
	return !slices.ContainsFunc(names, func(name string) bool { return !of(name) }), missingIsFine(err)
}

// litterAt tells whether name is a directory that holds nothing but litter. A collector
// may meet anything: old programs move whatever they find at L.
func litterAt(parent vfs.Dir, name string) (bool, error) {
	d, err := parent.OpenDir(name)
	if err != nil {
		if vfs.IsNotDir(err) {
			err = nil // no old protocol leaves a file there
		}
		return absent(err), missingIsFine(err)
	}
	defer d.Close()
	return holdsOnly(d, ofLitter)
}

// discardLock deletes the old lock, or its rest, that lies at name, and nothing else: what
// somebody has put into it stays there, with the directory. The caller must own the
// name (rule 8).
func discardLock(parent vfs.Dir, name string) error {
	d, err := parent.OpenDir(name)
	if err != nil {
		return missingIsFine(err)
	}
	defer d.Close()
	if err := clearLock(d, ""); err != nil {
		return err
	}
	if err := parent.Rmdir(name); !vfs.IsNotEmpty(err) {
		return missingIsFine(err)
	}
	return nil
}

// clearLock deletes through the handle what belongs to an old lock, the file named last
// after the others. What cannot be deleted does not keep the rest.
func clearLock(d vfs.Dir, last string) error {
	names, err := d.Names(0)
	if err != nil {
		return missingIsFine(err)
	}
	if i := slices.Index(names, last); i >= 0 {
		names = append(slices.Delete(names, i, i+1), last)
	}
	for _, name := range names {
		switch {
		case name == protocol.RetiredName:
			d.Rmdir(name) // of a root that was never published: empty, or not ours
		case ofLitter(name):
			err = errors.Join(err, vfs.RemoveAll(d, name, nil))
		}
	}
	return err
}
