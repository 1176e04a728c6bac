package watch

import (
	"context"
	"math/rand/v2"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

// atHead sleeps until the holder's directory moves or the holder ends.
func (w *Waiter) atHead(ctx context.Context, poll, most time.Duration) error {
	w.headed = true
	if w.moved != nil && !w.death.watched() && most > brief {
		// Most turns are short, and watching for a death costs something. So does a
		// look at a holder that is not there any more a moment later.
		for begun := time.Now(); ; {
			woken, err := w.awaitFor(ctx, brief)
			if err != nil {
				return err
			}
			if woken && (time.Since(begun) >= brief || !w.rearm()) {
				return nil
			}
			if !woken {
				break
			}
		}
		if w.unseen {
			w.unseen = false // nobody has looked since we watch
			return nil
		}
		most -= brief
	}
	w.death.follow(w.root, w.of, w.moved != nil)
	woken, err := w.awaitFor(ctx, w.hears().rely(poll, most))
	w.expired = !woken
	return err
}

// awaitFor sleeps for d unless something wakes us or ctx ends.
func (w *Waiter) awaitFor(ctx context.Context, d time.Duration) (woken bool, err error) {
	t := time.NewTimer(d)
	defer t.Stop()
	return w.await(ctx, t.C)
}

func (w *Waiter) await(ctx context.Context, over <-chan time.Time) (woken bool, err error) {
	select {
	case <-w.moved.told():
		w.disarm()
	case <-w.death.process.told():
		w.death.processEnded()
	case <-w.death.witness.told():
		w.death.witnessFreed()
	case <-over:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	return true, nil
}

// hearing is what the head can rely on to wake it.
type hearing int

const (
	keen hearing = iota
	hard         // it may come late
	deaf         // it may miss the release, or the holder's end
)

func (w *Waiter) hears() hearing {
	switch {
	case w.moved == nil && w.death.witness == nil, !w.death.watched():
		return deaf
	case w.moved == nil, w.kind.Name == "overlay":
		return hard
	}
	return keen
}

// rely is how long one may sleep who hears like this.
func (h hearing) rely(poll, most time.Duration) time.Duration {
	switch h {
	case deaf:
		return min(poll, most)
	case hard:
		return min(doubt/2+rand.N(doubt/2), most)
	}
	return most
}

// rearm watches what is current now. It reports false when the caller should look at
// once: there is nothing any more.
func (w *Waiter) rearm() bool {
	for w.arm() {
		// What moved before we watched is not told.
		now, err := w.root.Lstat(currentName)
		if err == nil && now.ID() == w.armed {
			return true
		}
		w.disarm()
		if vfs.IsVanished(err) {
			return false
		}
	}
	_, err := w.root.Lstat(currentName)
	return err == nil // there are no notices: rely on the clock
}

// arm begins to watch what is current now, and reports whether it does.
func (w *Waiter) arm() bool {
	if w.notices++; w.notices > mostNotices {
		return false
	}
	current, err := w.root.OpenDir(currentName)
	if err != nil {
		return false
	}
	defer current.Close()
	info, err := current.Stat()
	if err == nil {
		w.armed = info.ID()
		w.moved, err = watchMoves(current)
	}
	w.unseen = true
	return err == nil
}

func (w *Waiter) disarm() {
	w.moved.stop()
	w.moved = nil
}
