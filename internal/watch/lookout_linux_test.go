package watch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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
	w.headed = true
	done := make(chan error, 1)
	go func() { done <- w.doze(t.Context(), never, never) }()
	s.retire()
	if err := <-done; err != nil || w.moved != nil {
		t.Errorf("the head is not told of a release: %v", err)
	}
}

// TestRefused: a place that the system refuses is given up, also while dozing, and then
// there is no line.
func TestRefused(t *testing.T) {
	h := Holder{Generation: "g", Witness: "witness"}
	s := newScene(t)
	defer s.take(queueName)()
	for range mostThreads {
		threads.take() // no other place is to be had
	}
	defer func() {
		for range mostThreads {
			threads.give()
		}
	}()
	w := s.waiter()
	defer w.Leave()
	w.follow(h)
	w.place = &place{granted: make(chan struct{}), wanted: true, over: true, err: unix.EIO, drop: func() {}}
	close(w.place.granted)
	if err := w.doze(t.Context(), time.Millisecond, never); err != nil || !w.dozed {
		t.Fatal(err)
	}
	for range 3 {
		if err := w.Wait(t.Context(), h, time.Millisecond, never); err != nil {
			t.Fatal(err)
		}
	}
	if w.place != nil || !w.Turn() {
		t.Error("it still has the place that was refused")
	}
}

// TestHeadSleeps: a wait in which nothing happens does not return at once, except the
// first, whatever of what could wake the head is missing.
func TestHeadSleeps(t *testing.T) {
	for name, h := range map[string]Holder{
		"both":    {Generation: "g", PID: os.Getppid(), Witness: "witness"},
		"process": {Generation: "g", PID: os.Getppid()},
		"witness": {Generation: "g", Witness: "witness"},
		"neither": {Generation: "g"},
	} {
		for missing, without := range map[string]func(w *Waiter){
			"nothing": func(*Waiter) {},
			"instances": func(*Waiter) {
				inotifyInit = func(int) (int, error) { return -1, unix.EMFILE }
			},
			"notices": func(w *Waiter) { w.notices = mostNotices },
		} {
			t.Run(name+"/without "+missing, func(t *testing.T) {
				closeIdleListener(t)
				defer func() { inotifyInit = unix.InotifyInit1 }()
				s := newScene(t)
				defer s.take("current/witness")()
				w := s.waiter()
				defer w.Leave()
				w.Turn()
				w.follow(h)
				without(w)
				early := 0
				for range 5 {
					w.Glance()
					if err := w.Wait(t.Context(), h, time.Millisecond, 10*time.Millisecond); err != nil {
						t.Fatal(err)
					}
					if !w.expired {
						early++
					}
				}
				if early > 1 {
					t.Errorf("of 5 waits %d ended although nothing had happened", early)
				}
			})
		}
	}
}

// TestHeadWatchesOn: who becomes the head while it dozes watches the holder's end, and so
// does a head that dozes when the process ends that it watched.
func TestHeadWatchesOn(t *testing.T) {
	const poll, most = time.Millisecond, 10 * time.Millisecond
	watches := func(t *testing.T, w *Waiter, h Holder) {
		t.Helper()
		for range 5 {
			w.Glance()
			if err := w.Wait(t.Context(), h, poll, most); err != nil {
				t.Fatal(err)
			}
		}
		if !w.death.watched() {
			t.Error("it does not watch the holder's end")
		}
	}
	t.Run("new head", func(t *testing.T) {
		s := newScene(t)
		defer s.take("current/witness")()
		next := s.take(queueName)
		w := s.waiter()
		defer w.Leave()
		h := Holder{Generation: "g", PID: os.Getppid(), Witness: "witness"}
		w.follow(h)
		w.lineUp()
		if err := w.doze(t.Context(), poll, most); err != nil {
			t.Fatal(err)
		}
		next()
		<-w.place.granted
		watches(t, w, h)
	})
	t.Run("command outlives holder", func(t *testing.T) {
		s := newScene(t)
		defer s.take("current/witness")()
		holder := exec.Command("sleep", "1000")
		if err := holder.Start(); err != nil {
			t.Fatal(err)
		}
		h := Holder{Generation: "g", PID: holder.Process.Pid, Witness: "witness"}
		w := s.waiter()
		defer w.Leave()
		w.Turn()
		watches(t, w, h)
		if err := w.doze(t.Context(), poll, most); err != nil {
			t.Fatal(err)
		}
		holder.Process.Kill()
		holder.Wait()
		watches(t, w, h)
		if w.death.process != nil || w.death.witness == nil {
			t.Error("it does not wait for the witness")
		}
	})
}
