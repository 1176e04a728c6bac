package watch

import (
	"time"

	"genlock.dev/genlock/internal/vfs"
)

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
	id, changed, err := quickState(w.root, w.kind)
	if err != nil || id != w.glance.current.ID() || !changed.Equal(w.glance.current.ModTime) {
		return false
	}
	if w.glance.witness == nil && !w.openWitness() {
		return false
	}
	if quickBusy(w.glance.witness, w.kind) {
		return true
	}
	w.closeWitness() // drops the lock if it was granted
	return false
}

// state is which directory is current, and when something was last put into it.
func state(root vfs.Dir) (vfs.ID, time.Time, error) {
	now, err := root.Lstat(currentName)
	return now.ID(), now.ModTime, err
}

func busy(witness vfs.File) bool { return vfs.IsBusy(witness.Flock(vfs.Shared)) }

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
