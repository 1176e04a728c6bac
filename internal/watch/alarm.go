package watch

import (
	"sync"
	"time"
)

// timerAlarm calls ring after next(), and again and again, until it returns false or
// stop is called. When stop has returned, ring does not run any more.
func timerAlarm(next func() time.Duration, ring func() (again bool)) (stop func()) {
	var (
		mu      sync.Mutex
		t       *time.Timer
		stopped bool
	)
	mu.Lock()
	defer mu.Unlock()
	t = time.AfterFunc(next(), func() {
		mu.Lock()
		defer mu.Unlock()
		if !stopped && ring() {
			t.Reset(next())
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		t.Stop()
	}
}
