package legacy

import "strings"

// enoughNames is more than any old lock holds.
const enoughNames = 64

// doubt is about a directory without a record, which is an old lock only because it
// stands at L. One that holds what no old lock does is somebody's own directory, to
// which a wrong path led: it blocks, and nobody moves or deletes it, not even on an
// operator's word.
func (s *slot) doubt(sight *Sight) (*Sight, error) {
	names, err := s.dir.Names(enoughNames)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !ofOldLock(name) {
			sight.Verdict, sight.Strange, sight.Next, sight.current = Undecidable, true, "", false
			sight.Why = "it holds " + clean(name) + ", which no old lock does, so it is probably no lock at all"
			return sight, nil
		}
	}
	return sight, nil
}

// ofOldLock tells names that any of the dialects, or a file system below them, gives to
// what lies in L.
func ofOldLock(name string) bool {
	const renamedByNFS = ".nfs"
	return strings.HasPrefix(name, recordName) || name == fenceDir || strings.HasPrefix(name, tempPrefix) ||
		strings.HasPrefix(name, renamedByNFS)
}
