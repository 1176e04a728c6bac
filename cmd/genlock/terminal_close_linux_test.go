package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"genlock.dev/genlock/observer"
)

// A terminal that closes ends the command that runs on it, and frees the lock.
func TestTerminalCloses(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'echo $$ >pid; echo began; exec untilfile never'\n")
	s.expect(`began\r\n`)
	s.hangUp()
	s.state(observer.Free)
	s.gone("pid")
}

// One that does not heed that keeps the lock until it ends.
func TestTerminalClosesUnheeded(t *testing.T) {
	s := newSession(t)
	s.send("genlock run --artifact out k.lock -- sh -c 'trap \"\" HUP; echo $$ >pid; echo began; untilfile go; echo x >$GENLOCK_OUT'\n")
	s.expect(`began\r\n`)
	s.hangUp()
	s.leaderEnds()
	s.state(observer.Held)
	s.touch("go")
	s.state(observer.Free)
	s.gone("pid")
	s.exists("out")
}

// The same where genlock itself leads the session: a window, or ssh -t.
func TestTerminalClosesLeader(t *testing.T) {
	s := newLeader(t, "genlock", "run", "k.lock", "--", "sh", "-c", "echo $$ >pid; echo began; exec untilfile never")
	s.expect(`began\r\n`)
	s.hangUp()
	if code := s.leaderEnds(); code != 129 {
		t.Errorf("genlock ends with %d", code)
	}
	s.gone("pid")
	s.state(observer.Free)
}

// Who waits on a terminal that closes ends, and leaves nothing.
func TestTerminalClosesWaiting(t *testing.T) {
	s := newLeader(t, "sh", "-c", "genlock run k.lock -- untilfile go & until genlock status k.lock | grep -q held; do :; done; exec genlock run k.lock -- touch ran")
	s.expect(`genlock: waiting 2s`)
	s.hangUp()
	if code := s.leaderEnds(); code != 129 {
		t.Errorf("genlock ends with %d", code)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, "k.lock.v3", "candidate*")); len(left) > 0 || err != nil {
		t.Errorf("left over: %q, %v", left, err)
	}
	s.touch("go")
	s.state(observer.Free)
	s.missing("ran")
}

// nohup protects genlock and its command from a terminal that closes.
func TestTerminalClosesNohup(t *testing.T) {
	if _, err := exec.LookPath("nohup"); err != nil {
		t.Skip("no nohup: ", err)
	}
	s := newSession(t)
	s.send("nohup genlock run k.lock -- sh -c 'untilfile go; echo done >done' >log 2>&1 &\n")
	s.state(observer.Held)
	s.hangUp()
	s.leaderEnds()
	s.state(observer.Held)
	s.touch("go")
	s.state(observer.Free)
	s.exists("done")
}
