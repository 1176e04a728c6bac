package genlock

import (
	"context"
	"testing"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// hands is a clock that stands still until it is set.
type hands struct{ now time.Time }

func (h *hands) Now() time.Time { return h.now }

func (h *hands) Sleep(context.Context, time.Duration) error { return nil }

// TestLookFrom: however many goroutines wait for one lock, they look twice a second,
// and anew when its holder in this process changes.
func TestLookFrom(t *testing.T) {
	clock := &hands{time.Unix(1, 0)}
	at := place{env: &env.Env{Clock: clock}, base: "k.lock"}
	looks := 0
	wait := func(format protocol.Format, want int) {
		t.Helper()
		seen, err := lookFrom(at, format, func() (*observer.Observation, error) {
			looks++
			return &observer.Observation{Format: format}, nil
		})
		if err != nil || seen.Format != format || looks != want {
			t.Errorf("after %d looks, want %d: %v, %v", looks, want, seen, err)
		}
		seen.Format = "spoiled" // by whoever has it
	}
	head, second := lineUp(at, true), lineUp(at, true)
	for range 100 {
		wait(protocol.Genlock, 1)
	}
	wait(protocol.TTSC, 2)
	clock.now = clock.now.Add(reportEvery)
	for range 100 {
		wait(protocol.TTSC, 3)
	}
	stepAside(at, head)
	wait(protocol.TTSC, 4)
	stepAside(at, second)
	for range 2 { // nobody is in the line, so nobody keeps what was seen
		looks = 0
		wait(protocol.TTSC, 1)
	}
}
