package watch

import "genlock.dev/genlock/internal/vfs"

// glance is what is needed to see cheaply that nothing has changed.
type glance struct {
	current vfs.Info
	err     error
	// witness is that of the holder, open for probing.
	witness vfs.File
}

// Glance notes what is current, before a look.
func (w *Waiter) Glance() {
	if w != nil {
		w.glance.current, w.glance.err = w.root.Lstat(currentName)
	}
}

// unchanged tells that looking again is in vain: nothing was renamed in or into the
// directory that Glance saw, and somebody still has the holder's witness, which means
// alive whatever else is known. It costs a tenth of a look, and those who wait long do
// little else.
func (w *Waiter) unchanged() bool {
	if w.glance.err != nil || w.glance.current.Ino == 0 {
		return false
	}
	now, err := w.root.Lstat(currentName)
	if err != nil || now.ID() != w.glance.current.ID() || !now.ModTime.Equal(w.glance.current.ModTime) {
		return false
	}
	if w.glance.witness == nil && !w.openWitness() {
		return false
	}
	if vfs.IsBusy(w.glance.witness.Flock(vfs.Shared)) {
		return true
	}
	w.closeWitness() // drops the lock if it was granted
	return false
}

// openWitness reports whether there is one to probe.
func (w *Waiter) openWitness() bool {
	if w.of.Witness == "" {
		return false
	}
	current, err := w.root.OpenDir(currentName)
	if err != nil {
		return false
	}
	defer current.Close()
	w.glance.witness, err = current.Open(w.of.Witness, vfs.Read, 0)
	if err != nil {
		w.glance.witness = nil
	}
	return err == nil
}

func (w *Waiter) closeWitness() {
	if w.glance.witness != nil {
		w.glance.witness.Close()
		w.glance.witness = nil
	}
}
