package env

import (
	"sync/atomic"
	"testing"
	"time"
)

type thing struct{ closed atomic.Bool }

func (t *thing) Close() { t.closed.Store(true) }

// TestShelf: what is kept is handed out once, and closed when it is not kept, when
// others need its place, or when nobody comes for it.
func TestShelf(t *testing.T) {
	world := *system
	first := new(thing)
	world.Keep("a", first)
	if !first.closed.Load() || world.Take("a") != nil {
		t.Error("the copy of a world keeps something")
	}
	world.Keeping()
	var all []*thing
	for range mostKept + 1 {
		all = append(all, new(thing))
		world.Keep("a", all[len(all)-1])
	}
	if !all[0].closed.Load() || all[1].closed.Load() {
		t.Error("it is not the oldest that made room")
	}
	if world.Take("b") != nil || world.Take("a") != Kept(all[mostKept]) {
		t.Error("the latest one is not handed out")
	}
	for begun := time.Now(); !all[mostKept-1].closed.Load(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("what nobody comes for is never closed")
		}
	}
	if all[mostKept].closed.Load() || world.Take("a") != nil {
		t.Error("the shelf closed what it had handed out, or has closed things to hand out")
	}
}
