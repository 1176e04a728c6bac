package cases

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock/protocol"
)

// clockCases are group E: clocks that jump, holders that sleep or starve.
var clockCases = []scenario{
	{id: "E1", what: "holder sleeps, a waiter is there", play: sleeper, want: "alive",
		says: "is the same process (start time) and is stopped", next: blocked},
	{id: "E2", what: "all time stamps set to whole seconds", then: stamp(time.Now().Truncate(time.Second)),
		want: "alive", says: "runs and is the same process", next: blocked},
	{id: "E2", what: "all time stamps set to 1970", then: stamp(time.Unix(0, 0)),
		want: "alive", says: "runs and is the same process", next: blocked},
	{id: "E2", what: "all time stamps set to next year, holder dead", then: both(killed, stamp(time.Now().AddDate(1, 0, 0))),
		want: "gone", says: "does not exist any more", next: takes},
	{id: "E4", what: "a day of honest work, three impatient waiters", play: longJob, want: "alive",
		says: "runs and is the same process", next: blocked},
	{id: "E5", what: "holder starved by hogs", play: starved, want: "alive", says: "runs and is the same process", next: blocked},
}

// sleeper stops the holder as a sleeping laptop does, and lets it go on.
func sleeper(s *scene) seen {
	s.take(here, hold{})
	w := s.start(here, "wait", wait{Lock: s.lock})
	w.expect("waiting")
	s.holder.stop()
	if longPlay() {
		time.Sleep(40 * time.Second) // what was reported, in full
	}
	for !strings.Contains(w.expect("waiting"), "is stopped") {
	}
	v := s.look(here, look{Try: true})
	s.holder.signal(unix.SIGCONT)
	if err := s.holder.ask("check"); err != "<nil>" {
		s.Error("the holder lost its lock: ", err)
	}
	if err := s.holder.ask("release"); err != "<nil>" {
		s.Error("the holder's release: ", err)
	}
	w.expect("acquired")
	return v
}

// stamp changes the times of everything that the lock consists of.
func stamp(at time.Time) func(*scene) {
	return func(s *scene) {
		s.Helper()
		err := filepath.Walk(s.lock+protocol.RootSuffix, func(path string, _ os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			return os.Chtimes(path, at, at)
		})
		if err != nil {
			s.Fatal(err)
		}
	}
}

// longJob lets waiters wait for a day, on a clock of their own, or for 90 s.
func longJob(s *scene) seen {
	s.take(here, hold{})
	w := wait{Lock: s.lock, Wait: 24 * time.Hour, World: world{Hurry: true}}
	if longPlay() {
		w = wait{Lock: s.lock, Wait: 90 * time.Second}
	}
	var waiters []*actor
	for range 3 {
		waiters = append(waiters, s.start(here, "wait", w))
	}
	for _, a := range waiters {
		s.says(a.expect("gave"), "runs and is the same process", "gave up after")
	}
	if err := s.holder.ask("check"); err != "<nil>" {
		s.Error("the holder lost its lock: ", err)
	}
	return s.look(here, look{Try: true})
}

// starved is a holder on one processor, nicer than everybody else, that runs a
// command which leaves it no time either.
func starved(s *scene) (v seen) {
	hogs, least := 2, time.Duration(0)
	if longPlay() {
		hogs, least = 8, time.Minute
	}
	work := hold{Lock: s.lock, Command: []string{"sh", "-c", "while :; do :; done"}}
	s.holder = s.startCommand(here, append([]string{"/usr/bin/env", "GOMAXPROCS=1", "nice", "-n", "19"}, self("hold", work)...)...)
	busy := s.holder.expect("child")
	s.Cleanup(func() { s.end(busy) })
	s.holder.expect("held")
	for range hogs {
		s.start(here, "burn", burn{})
	}
	for began, looks := time.Now(), 0; looks < 20 || time.Since(began) < least; looks++ {
		l := look{Lock: s.lock, Try: true}
		if v = l.look(); v.Taken {
			return v
		}
	}
	if err := s.holder.ask("check"); err != "<nil>" {
		s.Error("the holder lost its lock: ", err)
	}
	return v
}
