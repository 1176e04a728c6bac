package watch

import "genlock.dev/genlock/internal/vfs"

// source is something the system tells once. A nil one never tells.
type source struct {
	c   <-chan struct{} // closed when it is told
	end func()
}

func (s *source) told() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.c
}

func (s *source) stop() {
	if s != nil {
		s.end()
	}
}

// death is told when one holder ends. The end of its process comes first, where we
// can see the process. That alone says little while a command it started goes on:
// from then on, and where the process cannot be seen (in another PID namespace),
// its witness is waited for, by a shared lock on it.
//
// That lock harms nobody. While it is pending it conflicts with nothing, and
// it is granted only when no holder is left. Then it lasts until we wake, and lets
// through every probe, since probes lock shared. Only whoever makes a witness locks
// it exclusively, before anybody else can reach it, and keeps that lock for as long
// as the directory is used, also for another generation.
type death struct {
	process *source
	witness *place
	asked   struct{ process, witness bool }
}

// follow sets up what is not set up yet. releases: the retirement is told by other
// means, so that the witness is not needed while the process can be seen.
func (d *death) follow(root vfs.Dir, h Holder, releases bool) {
	if !d.asked.process && h.PID > 0 {
		d.asked.process = true
		d.process, _ = watchExit(h.PID)
	}
	if (d.process != nil && releases) || d.asked.witness || h.Witness == "" {
		return
	}
	d.asked.witness = true
	current, err := root.OpenDir(currentName)
	if err != nil {
		return // it moved meanwhile
	}
	defer current.Close()
	d.witness = ask(current, h.Witness, vfs.Shared, nil)
}

// more tells whether there is something that follow has not tried yet.
func (d *death) more(h Holder) bool {
	return !d.asked.process && h.PID > 0 || !d.asked.witness && h.Witness != ""
}

// watched tells whether the end of the holder will be told.
func (d *death) watched() bool { return d.process != nil || d.witness != nil }

func (d *death) processEnded() {
	d.process.stop()
	d.process = nil
}

func (d *death) witnessFreed() {
	d.witness.leave()
	d.witness = nil
}

func (d *death) stop() {
	d.process.stop()
	if d.witness != nil {
		d.witness.leave()
	}
}
