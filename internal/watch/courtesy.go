package watch

import (
	"sync"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

const (
	// spell is for how long a process that had its turn may go on to take the lock
	// without lining up anew. Handing a lock over costs as much as several of the
	// shortest turns. A turn that lasts longer is the only one of its spell.
	spell = 250 * time.Microsecond
	// courtesy is how long at most a process that had its turn in a line just now
	// keeps out of it. The one after it was woken but may not run yet, and an OS
	// lock goes to whoever asks first.
	courtesy = 2 * time.Millisecond
	// rested is the pause after which a process may go ahead of the line again, if
	// its last turn was a short one. Until then whoever is the head of the line has
	// come to run. Several short turns fit into the time that it needs to wake up,
	// and it may lose some of them.
	rested = 500 * time.Microsecond
	short  = time.Millisecond
	// In each round of eight milliseconds by the clock that all processes share, two
	// are for the line alone, so that its head gets the lock however many go ahead.
	round, lineOnly = 8, 2
	// recently is for how long it counts what this process did, and that others want
	// the lock. In a longer turn the next one has surely come to run.
	recently = 10 * time.Millisecond
	// mostServed is how many turns are remembered before the old ones go.
	mostServed = 64
)

// turn is the latest one that this process had in a line.
type turn struct {
	spell       time.Time // when its spell began
	took, ended time.Time
	waited      time.Time // when this process last had to wait in that line
}

// served holds the roots in which this process had its turn recently.
var served = struct {
	sync.Mutex
	at map[vfs.ID]turn
}{at: make(map[vfs.ID]turn)}

// remember notes that this process leaves the line for its turn.
func remember(root vfs.ID, newSpell, waited bool) {
	served.Lock()
	defer served.Unlock()
	now := time.Now()
	if len(served.at) >= mostServed {
		for id, t := range served.at {
			if now.Sub(t.took) > recently {
				delete(served.at, id)
			}
		}
	}
	t := served.at[root]
	t.took = now
	if newSpell {
		t.spell = now
	}
	if waited {
		t.waited = now
	}
	served.at[root] = t
}

// Ended notes that this process has released the lock of a root.
func Ended(root vfs.ID) {
	served.Lock()
	defer served.Unlock()
	if t, ok := served.at[root]; ok {
		t.ended = time.Now()
		served.at[root] = t
	}
}

func lately(root vfs.ID) turn {
	served.Lock()
	defer served.Unlock()
	return served.at[root]
}

// goesOn tells whether the spell of this process is not over.
func (t turn) goesOn(now time.Time) bool { return now.Sub(t.spell) < spell }

// overtakes tells whether this process goes ahead of the line.
func (t turn) overtakes(now time.Time) bool {
	lasted := t.ended.Sub(t.took)
	return lasted >= 0 && lasted < short && t.paused(now) && now.Sub(t.ended) < recently &&
		now.UnixMilli()%round >= lineOnly
}

// paused tells whether others had their chance since this process released the lock.
func (t turn) paused(now time.Time) bool {
	return !t.ended.Before(t.took) && now.Sub(t.ended) >= rested
}

// giveWay waits a moment if this process had its turn just now and others want theirs:
// until the next one has the lock.
func giveWay(dir vfs.Dir, root vfs.ID) {
	begun, t := time.Now(), lately(root)
	if begun.Sub(t.took) > recently || begun.Sub(t.waited) > recently || t.paused(begun) {
		return
	}
	for ; time.Since(begun) < courtesy; time.Sleep(courtesy / 20) {
		if _, err := dir.Lstat(currentName); err == nil {
			return
		}
	}
}
