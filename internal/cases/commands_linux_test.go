package cases

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// commandCases are group L: what the holder starts, and what that starts.
var commandCases = []scenario{
	{id: "L1", what: "the build leaves a daemon behind and ends well", play: daemon, want: "free", next: takes},
	{id: "L1", what: "holder killed, its command goes on", hold: hold{Command: lingering}, then: killed,
		want: "alive", says: "a command it started goes on", next: blocked},
	{id: "L1", what: "the same, seen from a container", hold: hold{Command: lingering}, then: killed, from: container,
		want: "alive", says: "its witness is locked", next: blocked},
	{id: "L1", what: "then its command ends as well", hold: hold{Command: lingering}, then: both(killed, childEnds),
		want: "gone", says: "does not exist any more", next: takes},
	{id: "L1", what: "holder and sh killed, what sh started goes on", play: grandchild("sh", "-c", shellScript),
		want: "alive", says: "a command it started goes on", next: blocked},
	{id: "L1", what: "holder killed, python goes on", play: child("python3", "-c", pythonScript),
		want: "alive", says: "a command it started goes on", next: blocked},
	{id: "L1", what: "python killed too: the stated limit", play: grandchild("python3", "-c", pythonScript),
		want: "gone", says: "does not exist any more", next: takes},
	{id: "L1", what: "holder killed, node goes on", play: child("node", "-e", nodeScript),
		want: "alive", says: "a command it started goes on", next: blocked},
	{id: "L1", what: "node killed too: as far as node passes it on", play: nodeGrandchild},
}

// Each of these starts a process that lives until standard input ends, tells its
// number, and waits for it.
const (
	shellScript  = `exec 3<&0; cat <&3 >&2 & echo grandchild $!; wait`
	pythonScript = `import subprocess; p = subprocess.Popen(["cat"]); print("grandchild", p.pid, flush=True); p.wait()`
	nodeScript   = `const p = require("child_process").spawn("cat", {stdio: "inherit"}); console.log("grandchild " + p.pid)`
)

func daemon(s *scene) seen {
	code, stdout, stderr := s.genlock(here, "run", s.lock, "--",
		"sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & echo $!")
	if code != 0 {
		s.Fatal(stderr)
	}
	defer s.end(stdout)
	return s.look(here, look{Try: true})
}

func childEnds(s *scene) {
	s.holder.in.Close()
	s.until("the command ends", func() bool { return s.quiet() })
}

// quiet tells whether nobody has the witness any more.
func (s *scene) quiet() bool {
	l := look{Lock: s.lock}
	return l.look().Verdict != "alive"
}

// child plays a command of a kind whose holder is killed.
func child(argv ...string) func(*scene) seen {
	return func(s *scene) seen {
		s.family(argv)
		s.holder.kill()
		return s.look(here, look{Try: true})
	}
}

// grandchild kills the command too; what that started goes on.
func grandchild(argv ...string) func(*scene) seen {
	return func(s *scene) seen {
		command, last := s.family(argv)
		s.holder.kill()
		s.end(command)
		s.until("the command ends", func() bool { return !exists(command) })
		v := s.look(here, look{Try: true})
		if !exists(last) {
			s.Error("what the command started is gone as well")
		}
		return v
	}
}

// nodeGrandchild: what node does to descriptors that it was given depends on their
// numbers and on its version. The verdict has to fit what it did.
func nodeGrandchild(s *scene) seen {
	v := grandchild("node", "-e", nodeScript)(s)
	want := "gone"
	if hasWitness(s.last) {
		want = "alive"
	}
	if v.Verdict != want || v.Taken != (want == "gone") {
		s.Errorf("%s, taken %v, want %s", v.Verdict, v.Taken, want)
	}
	return v
}

// hasWitness tells whether a process has a witness open.
func hasWitness(number string) bool {
	links, _ := filepath.Glob("/proc/" + number + "/fd/*")
	return slices.ContainsFunc(links, func(link string) bool {
		target, _ := os.Readlink(link)
		return strings.Contains(target, "/witness.")
	})
}

// family is a holder with a command that started another one.
func (s *scene) family(argv []string) (command, last string) {
	s.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		s.skip("%s is not installed", argv[0])
	}
	s.holder = s.start(here, "hold", hold{Lock: s.lock, Command: argv})
	// Which of the processes says its line first is not known.
	said := s.holder.expectAll("child", "grandchild", "held")
	command, last = said["child"], said["grandchild"]
	s.Cleanup(func() { s.end(command) })
	s.last = last
	s.Cleanup(func() { s.end(last) })
	return command, last
}

// end kills the process whose number somebody printed.
func (s *scene) end(number string) {
	if n := decimal(number); n > 1 {
		syscall.Kill(n, syscall.SIGKILL)
	}
}

// exists tells whether the process runs. Not everywhere are orphans reaped.
func exists(number string) bool {
	data, err := os.ReadFile("/proc/" + number + "/stat")
	return err == nil && stateOf(data) != 'Z'
}

func decimal(number string) int {
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		return 0
	}
	return n
}
