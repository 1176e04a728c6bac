package watch

import (
	"genlock.dev/genlock/internal/vfs"
)

// Glance notes what is current, before a look. Quiet needs it.
func (w *Waiter) Glance() {
	if w != nil {
		w.seen, w.seenErr = w.root.Lstat(currentName)
	}
}

// Quiet tells after a Wait that looking again is in vain: nothing woke us, nothing
// was renamed in or into the directory that Glance saw, and somebody still has the
// holder's witness, which means alive whatever else is known. It costs a tenth of a
// look, and those who wait long do little else.
func (w *Waiter) Quiet() bool {
	if w == nil || !w.expired || w.seenErr != nil || w.seen.Ino == 0 || w.of.Witness == "" {
		return false
	}
	now, err := w.root.Lstat(currentName)
	if err != nil || now.ID() != w.seen.ID() || !now.ModTime.Equal(w.seen.ModTime) {
		return false
	}
	current, err := w.root.OpenDir(currentName)
	if err != nil {
		return false
	}
	defer current.Close()
	witness, err := current.Open(w.of.Witness, vfs.Read, 0)
	if err != nil {
		return false
	}
	defer witness.Close()
	return vfs.IsBusy(witness.Flock(vfs.Shared))
}
