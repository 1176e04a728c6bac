package evidence

import "genlock.dev/genlock/internal/vfs"

// Litter is what the witness of an unpublished directory says about its maker.
type Litter int

const (
	// Unsaid: another kernel's, a network file system's, or unreadable.
	Unsaid Litter = iota
	// Attended: the witness is locked, so its maker is at work.
	Attended
	// Unattended: the witness is free on this very kernel. A maker that is
	// just between creating and locking it looks the same, which is why
	// litter is renamed aside: its maker then starts again (rule 8).
	Unattended
)

// Unpublished probes the witness of p, a candidate or a claim in flight. It is no
// verdict about a holder: nothing here was ever reachable as one.
func Unpublished(m Machine, p Party) Litter {
	if p.Witness == nil {
		return Unsaid
	}
	_, err := probe(p.Dir, p.Witness.Name())
	same, _ := sameBoot(m, p)
	switch {
	case vfs.IsBusy(err):
		return Attended
	case err == nil && same && p.Kind.Local:
		return Unattended
	}
	return Unsaid
}
