package watch

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// TestAlarm: it rings until it is told not to, or until it is stopped, and then it does
// not any more.
func TestAlarm(t *testing.T) {
	for name, alarm := range map[string]func(func() time.Duration, func() bool) func(){
		"kernel": alarm, "runtime": timerAlarm,
	} {
		t.Run(name, func(t *testing.T) {
			soon := func() time.Duration { return time.Microsecond }
			var rings atomic.Int64
			over := make(chan struct{})
			stop := alarm(soon, func() bool {
				if rings.Add(1) < 3 {
					return true
				}
				close(over)
				return false
			})
			<-over
			stop()
			if n := rings.Load(); n != 3 {
				t.Errorf("it rang %d times", n)
			}

			var stopped atomic.Bool
			stop = alarm(soon, func() bool {
				if stopped.Load() {
					t.Error("it rings after it was stopped")
				}
				rings.Add(1)
				return true
			})
			waitFor(t, func() bool { return rings.Load() > 10 })
			stop()
			stopped.Store(true)
			after := rings.Load()

			alarm(func() time.Duration { return never }, func() bool { return true })() // at once
			if rings.Load() != after {
				t.Error("it rings after it was stopped")
			}
		})
	}
}

// TestDoze: who dozes sees by itself what nothing tells it, and is told the rest.
func TestDoze(t *testing.T) {
	h := Holder{Generation: "g", Witness: "witness"}
	for name, act := range map[string]func(s *scene, drop func()){
		"crashed":  func(_ *scene, drop func()) { drop() },
		"retired":  func(s *scene, _ func()) { s.retire() },
		"finished": func(s *scene, _ func()) { os.WriteFile(filepath.Join(s.path, "current/x"), nil, 0o666) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			drop := s.take("current/witness")
			defer s.take(queueName)() // the head is stopped
			w := s.waiter()
			defer w.Leave()
			w.Glance()
			w.follow(h)
			w.lineUp()
			if !w.unchanged() {
				t.Fatal("nothing happened, and it sees something")
			}
			act(s, drop)
			if err := w.doze(t.Context(), never, never); err != nil || !w.Turn() {
				t.Errorf("it does not try by itself (%v)", err)
			}
		})
	}
}

// TestDozeOn: nothing but time passes, a turn in the line comes, or the wait is given up.
func TestDozeOn(t *testing.T) {
	h := Holder{Generation: "g", Witness: "witness"}
	s := newScene(t)
	defer s.take("current/witness")()
	next := s.take(queueName)
	w := s.waiter()
	defer w.Leave()
	w.Glance()
	for range 2 { // from the second on it does nothing but doze
		if err := w.Wait(t.Context(), h, never, 2*own+own/5); err != nil || !w.dozed || !w.due {
			t.Errorf("%v; dozed: %t, due: %t", err, w.dozed, w.due)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.doze(ctx, never, never); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	next()
	if err := w.doze(t.Context(), never, never); err != nil || !w.place.ours() {
		t.Errorf("it does not see that it is its turn (%v)", err)
	}
	w.rearm()
	done := make(chan error, 1)
	go func() { done <- w.doze(t.Context(), never, never) }()
	s.retire()
	if err := <-done; err != nil || w.moved != nil {
		t.Errorf("the head is not told of a release: %v", err)
	}
}
