package cases

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock/internal/oldprograms"
	"genlock.dev/genlock/protocol"
)

// oldCases are group Z, and others in which the holder is a program of an older
// protocol. All answers come from the command.
var oldCases = []scenario{
	{id: "Z1", what: "four old programs and four of ours, old first", play: together("mkdir", "mkdir", protocol.Genlock, true), want: "excluded"},
	{id: "Z1", what: "four old programs and four of ours, ours first", play: together("mkdir", "mkdir", protocol.Genlock, false), want: "excluded"},
	{id: "Z1", what: "the same with v2, in the format of ttsc", play: together("v2", "mkdir,v2", protocol.TTSC, true), want: "excluded"},
	{id: "Z1", what: "the same with token", play: together("token", "token=here", protocol.Genlock, true), want: "excluded"},
	{id: "Z1", what: "the same with heartbeat", play: together("heartbeat", "heartbeat=10s", protocol.Genlock, true), want: "excluded"},
	{id: "Z3", what: "a program of v2 holds, its dialect is not enabled", play: refused, want: "held", says: "an older tool (v2)"},
	{id: "Z3", what: "killed, and captured by its generation", play: oldDies("v2", "v2"), want: "gone", says: "no process on this machine has the number"},
	{id: "kind", what: "an old holder (mkdir) is killed", play: oldDies("mkdir", "mkdir,v2"), want: "gone", says: "no process on this machine has the number"},
	{id: "kind", what: "an old holder (token) is killed", play: oldDies("token", "token=here"), want: "gone", says: "token=here says"},
	{id: "kind", what: "an old holder (mkdir) lives in a container", play: oldLives("mkdir", "mkdir", nested, here), want: "alive"},
	{id: "kind", what: "an old holder (v2) lives in a container", play: oldLives("v2", "v2", nested, here), want: "alive"},
	{id: "kind", what: "an old holder (token) lives in a container", play: oldLives("token", "token=here", nested, here), want: "alive"},
	{id: "kind", what: "an old holder (mkdir) lives outside of ours", play: oldLives("mkdir", "mkdir", here, container),
		want: "undecidable", says: "PID namespace"},
	{id: "kind", what: "an old holder (v2) lives outside of ours", play: oldLives("v2", "v2", here, container),
		want: "undecidable", says: "PID namespace"},
	{id: "kind", what: "an old holder (token) lives outside of ours", play: oldLives("token", "token=here", here, container),
		want: "undecidable", says: "PID namespace"},
	{id: "C2", what: "old record with no field for a host, holder in a container", play: oldLives("token", "token", nested, here),
		want: "undecidable", says: "names no host"},
	{id: "E4", what: "an age decides for old programs, not for us", play: aged, want: "undecidable", says: "an age proves nothing"},
	{id: "E4", what: "three old waiters with the shortest age, ours works on", play: impatient, want: "kept"},
	{id: "F4", what: "late reclaimer, the successor looks the same", play: lateReclaim, want: "alive", says: "runs and is the same process"},
	{id: "F4", what: "the same with an old lock (mkdir)", play: lateOld("mkdir", "mkdir"), want: "alive"},
	{id: "F4", what: "the same with an old lock (v2)", play: lateOld("v2", "v2"), want: "alive"},
	{id: "F4", what: "the same with an old lock (token)", play: lateOld("token", "token=here"), want: "alive"},
}

// tryOld runs a command of no importance with the old protocols of a list.
func (s *scene) tryOld(p place, list string) (code int, stderr string) {
	s.Helper()
	code, _, stderr = s.genlock(p, "run", "--json", "-n", "--dialect", list, s.lock, "--", "true")
	return code, stderr
}

// oldHolder starts an old program that holds the lock.
func (s *scene) oldHolder(p place, dialect string) *actor {
	s.Helper()
	a := s.start(p, "old", old{Dialect: dialect, Lock: s.lock})
	a.expect("held")
	return a
}

// statusOf is what the command shows of the old lock.
func (s *scene) statusOf(p place, list string) seen {
	s.Helper()
	return s.look(p, look{Dialects: list})
}

// refused: it is not ours to judge, and never ignored.
func refused(s *scene) seen {
	a := s.oldHolder(here, "v2")
	code, _, stderr := s.genlock(here, "run", "-n", s.lock, "--", "true")
	if code != 75 {
		s.Errorf("exit status %d", code)
	}
	s.says(stderr, "is held by an older tool (v2)", fmt.Sprint("pid ", a.Process.Pid))
	line, _, _ := strings.Cut(stderr, "\n")
	return told("held", 0, "%s", line)
}

// oldDies: the holder is killed, and the next run of the command takes the lock from
// it, and tells what proved that it may.
func oldDies(dialect, list string) func(*scene) seen {
	return func(s *scene) seen {
		if !initialNamespace() {
			s.skip("from outside the initial PID namespace no old holder can be proven dead")
		}
		a := s.oldHolder(here, dialect)
		if code, stderr := s.tryOld(here, list); code != 75 {
			s.Errorf("while it lives: exit status %d\n%s", code, stderr)
		}
		a.kill()
		v := s.statusOf(here, list)
		began := time.Now()
		code, stderr := s.tryOld(here, list)
		v.Taken, v.TakenIn = code == 0, time.Since(began)
		if !v.Taken {
			s.Errorf("exit status %d\n%s", code, stderr)
		}
		s.says(stderr, `"event":"reclaimed"`, `"evidence":"`+v.Evidence)
		if dialect == "v2" {
			if retired, _ := filepath.Glob(s.lock + ".v2/retired/*"); len(retired) != 1 {
				s.Errorf("its tombstones are %q", retired)
			}
		}
		return v
	}
}

func initialNamespace() bool {
	ns, err := os.Readlink("/proc/self/ns/pid")
	return err == nil && ns == "pid:[4026531836]"
}

// oldLives: a live holder that cannot be seen by its number is never taken.
func oldLives(dialect, list string, holder, from place) func(*scene) seen {
	return func(s *scene) seen {
		s.needRoot()
		s.oldHolder(holder, dialect)
		for range 2 {
			if code, stderr := s.tryOld(from, list); code != 75 {
				s.Errorf("exit status %d\n%s", code, stderr)
			}
		}
		v := s.statusOf(from, list)
		if stand := s.statusOf(from, list); stand.Verdict == "" {
			s.Error("its lock is gone")
		}
		return v
	}
}

// aged: the holder cannot refresh its lock, and has not for two days.
func aged(s *scene) seen {
	s.oldHolder(here, "heartbeat").stop()
	s.age(s.lock, 48*time.Hour)
	if code, stderr := s.tryOld(here, "heartbeat"); code != 75 {
		s.Errorf("exit status %d\n%s", code, stderr)
	}
	return s.statusOf(here, "heartbeat")
}

// impatient: programs that take a lock which is not touched for 2 s wait for ours, as
// long as it takes to refresh it three times, or for 90 s.
func impatient(s *scene) seen {
	const beats = 3
	w := s.startCommand(here, s.command("run", "--dialect", "heartbeat", "--hold", s.lock, "--", "sh", "-c", "echo in; read _; echo out")...)
	w.expect("in")
	for range 3 {
		s.start(here, "old", old{Dialect: "heartbeat", Lock: s.lock, Stale: 2 * time.Second, Beside: true}).expect("waiting")
	}
	began, last, seenBeats := time.Now(), time.Time{}, 0
	s.until("our lock is refreshed", func() bool {
		info, err := os.Stat(s.lock)
		if err != nil {
			s.Fatal(err)
		}
		if info.ModTime() != last {
			last = info.ModTime()
			seenBeats++
		}
		return seenBeats > beats && (!longPlay() || time.Since(began) > 90*time.Second)
	})
	fmt.Fprintln(w.in)
	w.expect("out")
	if err := w.wait(); err != nil {
		s.Errorf("it lost its lock: %v\n%s", err, w.said())
	}
	return told("kept", 0, "three old waiters took nothing while it was refreshed %d times", seenBeats)
}

// lateReclaim: W2 has judged the dead holder and stops before its rename; W1 reclaims
// and holds; its generation gets the times of the dead one; W2 goes on.
func lateReclaim(s *scene) seen {
	s.take(here, hold{}).kill()
	dead, err := os.Stat(s.current(""))
	if err != nil {
		s.Fatal(err)
	}
	late := s.start(here, "late", late{Lock: s.lock, To: "/retired/"})
	late.await(unix.WSTOPPED)
	holder := s.take(here, hold{})
	if err := os.Chtimes(s.current(""), dead.ModTime(), dead.ModTime()); err != nil {
		s.Fatal(err)
	}
	late.signal(syscall.SIGCONT)
	s.says(late.expect("answer"), "is held by")
	if err := holder.ask("check"); err != "<nil>" {
		s.Error("the successor lost its lock: ", err)
	}
	return s.look(here, look{Try: true})
}

// lateOld: the same when the dead holder and its successor are old programs. Ours
// holds v3 while it is stopped; that is nothing to them.
func lateOld(dialect, list string) func(*scene) seen {
	return func(s *scene) seen {
		if !initialNamespace() {
			s.skip("from outside the initial PID namespace no old holder can be proven dead")
		}
		s.oldHolder(here, dialect).kill()
		at := s.lock
		if dialect == "v2" {
			at += ".v2/current"
		}
		dead, err := os.Stat(at)
		if err != nil {
			s.Fatal(err)
		}
		late := s.start(here, "late", late{Lock: s.lock, Dialects: list, From: at})
		late.await(unix.WSTOPPED)
		s.oldHolder(here, dialect)
		if err := os.Chtimes(at, dead.ModTime(), dead.ModTime()); err != nil {
			s.Fatal(err)
		}
		late.signal(syscall.SIGCONT)
		s.says(late.expect("answer"), "is held by an older tool ("+dialect+")")
		return s.statusOf(here, list)
	}
}

// together lets old programs and the command take turns.
func together(dialect, list string, format protocol.Format, oldFirst bool) func(*scene) seen {
	return func(s *scene) seen {
		t := oldprograms.Turns{Log: filepath.Join(s.dir, "log"), Turns: 5, Most: time.Minute, All: 8}
		if longPlay() {
			t.Turns = 200
		}
		exe, err := genlockProgram()
		if err != nil {
			s.Fatal(err)
		}
		var all []*actor
		for i := range 2 * 4 {
			if i < 4 == oldFirst {
				all = append(all, s.start(here, "oldTurns", oldTurns{Dialect: dialect, Lock: s.lock, Turns: t}))
			} else {
				all = append(all, s.start(here, "runTurns", runTurns{Genlock: exe, Lock: s.lock, Dialects: list, Format: format, Turns: t}))
			}
		}
		for _, a := range all {
			s.Log(a.expect("done"))
		}
		log, err := os.ReadFile(t.Log)
		if err != nil {
			s.Fatal(err)
		}
		found := oldprograms.Judge(string(log))
		if len(found.Wrong) > 0 {
			s.Errorf("both hold it, and ours does not know: %q", found.Wrong)
		}
		return told("excluded", 0, "%s", found)
	}
}
