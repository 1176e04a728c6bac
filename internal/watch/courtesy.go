package watch

import (
	"sync"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

const (
	// courtesy is how long at most a process that had its turn in a line just now
	// keeps out of it. The one after it was woken but may not run yet, and an OS
	// lock goes to whoever asks first.
	courtesy = 2 * time.Millisecond
	// recently is how long that is remembered. In a longer turn the next one has
	// surely come to run.
	recently = 10 * time.Millisecond
)

// served holds the queues in which this process had its turn recently.
var served = struct {
	sync.Mutex
	at map[vfs.ID]time.Time
}{at: make(map[vfs.ID]time.Time)}

// remember notes that this process leaves the line after its turn.
func remember(queue vfs.ID) {
	served.Lock()
	defer served.Unlock()
	now := time.Now()
	for id, left := range served.at {
		if now.Sub(left) > recently {
			delete(served.at, id)
		}
	}
	served.at[queue] = now
}

// giveWay waits a moment if this process had its turn just now: until the next
// one has the lock.
func giveWay(root vfs.Dir, queue vfs.ID) {
	served.Lock()
	left, ok := served.at[queue]
	delete(served.at, queue)
	served.Unlock()
	if !ok || time.Since(left) > recently {
		return
	}
	for begun := time.Now(); time.Since(begun) < courtesy; time.Sleep(courtesy / 20) {
		if _, err := root.Lstat(currentName); err == nil {
			return
		}
	}
}
