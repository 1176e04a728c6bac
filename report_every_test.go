package genlock

import (
	"slices"
	"testing"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/observer"
)

// TestEventEvery: a wait is told of at once, after a second, and then as seldom as asked
// for, or when something changes; and it sleeps until then.
func TestEventEvery(t *testing.T) {
	for _, tt := range []struct {
		every time.Duration
		want  []int
	}{
		{0, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}},
		{10 * time.Second, []int{0, 1, 5, 15}}, // the holder changes after 5
	} {
		clock := &hands{time.Unix(1, 0)}
		now := func() int { return int(clock.now.Unix()) - 1 }
		var told []int
		w := &waiter{began: clock.now, env: &env.Env{Clock: clock}, lock: New("k.lock", &Options{
			EventEvery: tt.every, OnEvent: func(Event) { told = append(told, now()) }})}
		seen := &observer.Observation{Generation: "a", State: observer.Held}
		for range 25 {
			if now() == 5 {
				seen = &observer.Observation{Generation: "b", State: observer.Held}
			}
			w.report(seen)
			if next := w.untilReport(seen, false); next != w.repeatsAfter() && told[len(told)-1] == now() {
				t.Errorf("every %v: after %d s it sleeps for %v", tt.every, now(), next)
			}
			clock.now = clock.now.Add(time.Second)
		}
		if !slices.Equal(told, tt.want) {
			t.Errorf("every %v: told after %v seconds, want %v", tt.every, told, tt.want)
		}
		// A line that leaves a free lock to its head is not disturbed by it.
		free := &observer.Observation{State: observer.Free}
		if w.untilReport(free, false) != unbounded || w.untilReport(free, true) != reportEvery {
			t.Errorf("every %v: a report is due for a lock that is free", tt.every)
		}
	}
}
