package watch

import (
	"sync"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

const (
	// spell is for how long a process that had its turn in a line may go on to take
	// the lock without lining up anew. Handing a lock over costs as much as several
	// short turns. A turn that lasts longer is the only one of its spell.
	spell = 250 * time.Microsecond
	// courtesy is how long at most a process that had its turn in a line just now
	// keeps out of it. The one after it was woken but may not run yet, and an OS
	// lock goes to whoever asks first.
	courtesy = 2 * time.Millisecond
	// recently is how long that is remembered. In a longer turn the next one has
	// surely come to run.
	recently = 10 * time.Millisecond
	// mostServed is how many turns are remembered before the old ones go.
	mostServed = 64
)

// turn is one that this process had in a line: when, and whether it had waited for it.
type turn struct {
	at     time.Time
	waited bool
}

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
			if now.Sub(t.at) > recently {
				delete(served.at, id)
			}
		}
	}
	served.at[root] = turn{now, waited}
}

// goesOn tells whether the spell of this process is not over.
func goesOn(root vfs.ID) bool {
	served.Lock()
	defer served.Unlock()
	t, ok := served.at[root]
	return ok && time.Since(t.at) < spell
}

// giveWay waits a moment if others waited when this process had its turn just now:
// until the next one has the lock.
func giveWay(dir vfs.Dir, root vfs.ID) {
	served.Lock()
	t := served.at[root]
	delete(served.at, root)
	served.Unlock()
	if !t.waited || time.Since(t.at) > recently {
		return
	}
	for begun := time.Now(); time.Since(begun) < courtesy; time.Sleep(courtesy / 20) {
		if _, err := dir.Lstat(currentName); err == nil {
			return
		}
	}
}
