package watch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock/internal/vfs"
)

// limit is for what happens at once: a hung test, not a slow machine, exceeds it.
const limit = 30 * time.Second

// never is a self-try or a poll that does not come while the test runs.
const never = time.Hour

type scene struct {
	t    *testing.T
	path string
	root vfs.Dir
	id   vfs.ID
}

// newScene is a root with a queue and a held generation with a witness.
func newScene(t *testing.T) *scene {
	t.Helper()
	path := t.TempDir()
	for _, dir := range []string{"current", "retired"} {
		if err := os.Mkdir(filepath.Join(path, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{queueName, "current/witness"} {
		if err := os.WriteFile(filepath.Join(path, file), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root, err := vfs.OS().OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	info, err := root.Stat()
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t, path, root, info.ID()}
	s.had(turn{}) // the inode may be one of another test
	return s
}

// had sets the latest turn of this process.
func (s *scene) had(latest turn) {
	served.Lock()
	defer served.Unlock()
	served.at[s.id] = latest
}

func (s *scene) waiter() *Waiter {
	s.t.Helper()
	w := New(s.root, s.id, vfs.Kind{Name: "ext4", Local: true})
	if w == nil {
		s.t.Fatal("no waiter")
	}
	s.t.Cleanup(w.Leave)
	return w
}

// take locks a file exclusively, until the returned function is called.
func (s *scene) take(name string) (drop func()) {
	s.t.Helper()
	f, err := os.Open(filepath.Join(s.path, name))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { f.Close() })
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		s.t.Fatal(name, ": ", err)
	}
	return func() { f.Close() }
}

func (s *scene) retire() {
	s.t.Helper()
	if err := unix.Rename(filepath.Join(s.path, "current"), filepath.Join(s.path, "retired/g")); err != nil {
		s.t.Fatal(err)
	}
}

// wait begins a wait that nothing but a wake-up ends.
func (s *scene) wait(ctx context.Context, w *Waiter, h Holder) (done chan error) {
	done = make(chan error, 1)
	go func() { done <- w.Wait(ctx, h, never, never) }()
	return done
}

// woken waits for the end of such a wait.
func (s *scene) woken(what string, done chan error, want error) {
	s.t.Helper()
	select {
	case err := <-done:
		if !errors.Is(err, want) {
			s.t.Errorf("%s: %v, want %v", what, err, want)
		}
	case <-time.After(limit):
		s.t.Fatal(what, ": nothing woke it")
	}
}

// head is a waiter at the head of the line that has armed its watch.
func (s *scene) head(h Holder) *Waiter {
	s.t.Helper()
	w := s.waiter()
	if !w.Turn() {
		s.t.Fatal("the first one in the line is not its head")
	}
	s.woken("arming", s.wait(s.t.Context(), w, h), nil)
	return w
}

// TestRelease: what retires or finishes the generation wakes the head.
func TestRelease(t *testing.T) {
	for name, act := range map[string]func(*scene) error{
		"retired": func(s *scene) error { s.retire(); return nil },
		"finished": func(s *scene) error {
			return os.Rename(filepath.Join(s.path, "current/witness"), filepath.Join(s.path, "current/task-complete"))
		},
		"deleted": func(s *scene) error { return os.RemoveAll(filepath.Join(s.path, "current")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			w := s.head(Holder{Generation: "g", PID: os.Getpid()})
			done := s.wait(t.Context(), w, w.of)
			if err := act(s); err != nil {
				t.Fatal(err)
			}
			s.woken(name, done, nil)
		})
	}
}

// TestBeforeWatching: what happened between the look and the watch is not slept over.
func TestBeforeWatching(t *testing.T) {
	s := newScene(t)
	w := s.head(Holder{Generation: "g"})
	s.retire()
	s.woken("retired before the wait", s.wait(t.Context(), w, w.of), nil)
}

// TestExit: the end of the holder's process wakes the head.
func TestExit(t *testing.T) {
	s := newScene(t)
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Skip("there is no sleep: ", err)
	}
	w := s.head(Holder{Generation: "g", PID: cmd.Process.Pid})
	done := s.wait(t.Context(), w, w.of)
	cmd.Process.Kill() // not reaped yet: a zombie does nothing any more
	s.woken("exit", done, nil)
	cmd.Wait()
	if w.death.watched() {
		t.Error("the end of a process is told again and again")
	}
}

// TestWitness: without inotify, and with a holder that cannot be seen or whose
// command goes on, the witness wakes the head.
func TestWitness(t *testing.T) {
	inotifyInit = func(int) (int, error) { return -1, unix.EMFILE }
	defer func() { inotifyInit = unix.InotifyInit1 }()
	closeIdleListener(t)
	s := newScene(t)
	drop := s.take("current/witness")
	w := s.waiter()
	done := s.wait(t.Context(), w, Holder{Generation: "g", Witness: "witness"})
	waitFor(t, func() bool { return len(blockedPlaces()) == 1 })
	// While it is pending it disturbs no probe.
	probe, err := os.Open(filepath.Join(s.path, "current/witness"))
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	if err := unix.Flock(int(probe.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != unix.EAGAIN {
		t.Errorf("a probe finds %v, want busy", err)
	}
	drop()
	s.woken("witness", done, nil)
	if err := unix.Flock(int(probe.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
		t.Errorf("a probe finds %v, want free", err)
	}
}

// TestCancel: both in the line and at its head a cancelled wait returns its cause.
func TestCancel(t *testing.T) {
	cause := errors.New("enough")
	s := newScene(t)
	drop := s.take("current/witness")
	defer drop()
	h := Holder{Generation: "g", PID: os.Getpid(), Witness: "witness"}
	for _, w := range []*Waiter{s.head(h), s.waiter()} {
		ctx, cancel := context.WithCancelCause(t.Context())
		done := s.wait(ctx, w, h)
		cancel(cause)
		s.woken("cancel", done, cause)
	}
}

// TestGivenUpPlace: a place in the line that was given up is taken over by the next
// wait of this process, and otherwise vanishes when its turn comes.
func TestGivenUpPlace(t *testing.T) {
	s := newScene(t)
	drop := s.take(queueName)
	var places []*place
	for range 3 {
		w := s.waiter()
		if w.Turn() {
			t.Fatal("it is not its turn")
		}
		places = append(places, w.place)
		w.Leave()
	}
	if places[0] != places[1] || places[1] != places[2] {
		t.Error("each wait left a thread behind")
	}
	drop()
	<-places[0].granted
	waitFor(t, func() bool { return len(blockedPlaces()) == 0 && len(threads) == 0 })
	waitFor(t, func() bool {
		p := ask(s.root, queueName, vfs.Exclusive, nil)
		if p == nil {
			return false
		}
		defer p.leave()
		<-p.granted
		return p.ours()
	})
}

// TestLine: the second one in the line becomes its head when the first one leaves,
// and watches what is current then.
func TestLine(t *testing.T) {
	s := newScene(t)
	drop := s.take(queueName)
	w := s.waiter()
	h := Holder{Generation: "g"}
	done := s.wait(t.Context(), w, h)
	drop()
	s.woken("the head left", done, nil)
	if !w.Turn() || w.moved == nil {
		t.Error("it is not the head, or does not watch")
	}
}

// TestSelfTry: whoever is not the head tries by itself when its time has come.
func TestSelfTry(t *testing.T) {
	s := newScene(t)
	defer s.take(queueName)()
	w := s.waiter()
	if w.Turn() {
		t.Fatal("it is not its turn")
	}
	if err := w.Wait(t.Context(), Holder{Generation: "g"}, never, time.Millisecond); err != nil || !w.Turn() {
		t.Errorf("it does not try by itself (%v)", err)
	}
	// A lock that is free and not taken is not left to the head for long.
	if err := w.Wait(t.Context(), Holder{}, never, never); err != nil || !w.Turn() {
		t.Errorf("it leaves a free lock to a head that does not take it (%v)", err)
	}
}

// TestSpell: who had its turn a moment ago goes on although others are in the line, for
// no longer than a spell, and then waits for its turn as everybody does.
func TestSpell(t *testing.T) {
	s := newScene(t)
	w := s.waiter()
	if !w.Turn() {
		t.Fatal("it is not its turn, and nobody is in the line")
	}
	w.Leave() // it has the lock
	drop := s.take(queueName)
	had := func(ago time.Duration) { s.had(turn{spell: time.Now().Add(-ago)}) }
	for range 2 {
		had(-time.Minute) // however slow this machine is
		if !w.Turn() || w.place != nil {
			t.Error("its spell ends at once")
		}
		w.Leave()
	}
	had(recently) // a moment later it could go ahead again
	if w.Turn() {
		t.Error("its spell does not end")
	}
	drop()
	<-w.place.granted
	w.Leave()
	waitFor(t, func() bool { return len(blockedPlaces()) == 0 && len(threads) == 0 })
}

// TestOvertake: who had a short turn goes ahead of the line after a pause, except in the
// time that is for the line alone.
func TestOvertake(t *testing.T) {
	const long = time.Hour
	for _, tt := range []struct {
		lasted, ago time.Duration // of the turn
		at          int64         // milliseconds since a round began
		want        bool
	}{
		{0, 0, lineOnly, false}, // it gives way
		{0, rested - 1, lineOnly, false},
		{0, rested, lineOnly, true},
		{short - 1, rested, round - 1, true},
		{0, recently - 1, lineOnly, true},
		{0, recently, lineOnly, false},
		{short, rested, lineOnly, false}, // whoever is woken could wait as long again
		{-1, rested, lineOnly, false},    // it was not released, or not by this process
		{0, rested, 0, false},
		{0, rested, lineOnly - 1, false},
	} {
		now := time.UnixMilli(1000*round + tt.at)
		latest := turn{took: now.Add(-tt.ago - tt.lasted), ended: now.Add(-tt.ago), spell: now.Add(-long)}
		if got := latest.overtakes(now); got != tt.want {
			t.Errorf("%v after a turn of %v, %d ms into a round: it goes ahead: %t", tt.ago, tt.lasted, tt.at, got)
		}
	}
	if (turn{}).overtakes(time.UnixMilli(lineOnly)) {
		t.Error("who never had a turn goes ahead")
	}
}

// TestEnded: a spell begins with the turn that came after lining up or overtaking, and the
// end of a turn is noted only where somebody lines up.
func TestEnded(t *testing.T) {
	s := newScene(t)
	before := time.Now()
	w := s.waiter()
	if !w.Turn() {
		t.Fatal("it is not its turn, and nobody is in the line")
	}
	w.Leave()
	first := lately(s.id)
	if first.spell.Before(before) || first.took.Before(before) || !first.ended.IsZero() {
		t.Errorf("took the lock from the line: %+v", first)
	}
	Ended(s.id)
	if ended := lately(s.id).ended; ended.Before(first.took) {
		t.Errorf("released at %v", ended)
	}
	w.ahead, w.goesOn = true, true
	w.Leave()
	if again := lately(s.id); again.spell != first.spell || !again.took.After(first.took) {
		t.Errorf("goes on: %+v after %+v", again, first)
	}
	w.ahead = true
	w.Leave()
	if again := lately(s.id); !again.spell.After(first.spell) {
		t.Errorf("went ahead: %+v after %+v", again, first)
	}
	other := vfs.ID{Dev: 1, Ino: 1}
	Ended(other)
	if (lately(other) != turn{}) {
		t.Error("where nobody lines up something is remembered")
	}
}

// TestFewThreads: without a thread there is no place in the line, and polling.
func TestFewThreads(t *testing.T) {
	s := newScene(t)
	defer s.take(queueName)()
	for range mostThreads {
		threads.take()
	}
	defer func() {
		for range mostThreads {
			threads.give()
		}
	}()
	w := s.waiter()
	if err := w.Wait(t.Context(), Holder{Generation: "g"}, time.Millisecond, never); err != nil || w.place != nil {
		t.Errorf("%v, place %v", err, w.place)
	}
}

// TestUnchanged: only an untouched directory with a busy witness is nothing new.
func TestUnchanged(t *testing.T) {
	h := Holder{Generation: "g", Witness: "witness"}
	for name, tt := range map[string]struct {
		act  func(s *scene, drop func())
		want bool
	}{
		"nothing":  {func(*scene, func()) {}, true},
		"crashed":  {func(_ *scene, drop func()) { drop() }, false},
		"retired":  {func(s *scene, _ func()) { s.retire() }, false},
		"finished": {func(s *scene, _ func()) { os.WriteFile(filepath.Join(s.path, "current/x"), nil, 0o666) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			drop := s.take("current/witness")
			w := s.head(h)
			w.Glance()
			tt.act(s, drop)
			w.follow(h)
			if got := w.unchanged(); got != tt.want {
				t.Errorf("unchanged is %t", got)
			}
		})
	}
}

// TestListenerEnds: what the waiters of a process share goes when none is left.
func TestListenerEnds(t *testing.T) {
	s := newScene(t)
	w := s.head(Holder{Generation: "g"})
	if w.moved == nil {
		t.Skip("inotify cannot be had here")
	}
	w.Leave()
	closeIdleListener(t)
}

func closeIdleListener(t *testing.T) {
	t.Helper()
	waitFor(t, func() bool {
		ear.Lock()
		defer ear.Unlock()
		return ear.listener == nil
	})
}

func blockedPlaces() []*place {
	blocked.Lock()
	defer blocked.Unlock()
	var all []*place
	for _, p := range blocked.at {
		all = append(all, p)
	}
	return all
}

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	for begun := time.Now(); !what(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > limit {
			t.Fatal("it does not happen")
		}
	}
}
