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
	// rested is the pause after which a process may go ahead of the line again. Until
	// then whoever is its head has come to run. If turns are short, several fit into
	// the time that the head needs to wake up, and it may lose some of them.
	rested = 500 * time.Microsecond
	// In each round of eight milliseconds by the clock that all processes share, two
	// are for the line alone, so that its head gets the lock however many go ahead.
	round, lineOnly = 8, 2
	// courtesy is how long at most a process that had its turn in a line just now
	// keeps out of it. The one after it was woken but may not run yet, and an OS
	// lock goes to whoever asks first.
	courtesy = 2 * time.Millisecond
	// recently is for how long it counts that others want the lock, and that turns are
	// short.
	recently = 10 * time.Millisecond
	// mostServed is how many turns are remembered before the old ones go.
	mostServed = 64
)

// turn is the latest one that this process had in a line, and when it last had to
// wait in it.
type turn struct{ had, waited time.Time }

// served holds the roots in which this process had its turn recently.
var served = struct {
	sync.Mutex
	at map[vfs.ID]turn
}{at: make(map[vfs.ID]turn)}

// remember notes that this process leaves the line after its turn.
func remember(root vfs.ID, waited bool) {
	served.Lock()
	defer served.Unlock()
	now := time.Now()
	if len(served.at) >= mostServed {
		for id, t := range served.at {
			if now.Sub(t.had) > recently {
				delete(served.at, id)
			}
		}
	}
	t := served.at[root]
	t.had = now
	if waited {
		t.waited = now
	}
	served.at[root] = t
}

func lately(root vfs.ID) turn {
	served.Lock()
	defer served.Unlock()
	return served.at[root]
}

// goesOn tells whether the spell of this process is not over.
func (t turn) goesOn(now time.Time) bool { return now.Sub(t.had) < spell }

// overtakes tells whether this process goes ahead of the line.
func (t turn) overtakes(now time.Time) bool {
	ago := now.Sub(t.had)
	return ago >= rested && ago < recently && now.UnixMilli()%round >= lineOnly
}

// giveWay waits a moment if this process had its turn just now and others want theirs:
// until the next one has the lock.
func giveWay(dir vfs.Dir, root vfs.ID) {
	t := lately(root)
	if time.Since(t.had) > rested || time.Since(t.waited) > recently {
		return
	}
	for begun := time.Now(); time.Since(begun) < courtesy; time.Sleep(courtesy / 20) {
		if _, err := dir.Lstat(currentName); err == nil {
			return
		}
	}
}
