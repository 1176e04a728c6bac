package cases

import (
	"os"
	"path/filepath"
	"time"
)

// accessCases are group J: caches that cannot be written, are missing, or are
// somebody else's; and processes of which one may not know everything.
var accessCases = []scenario{
	{id: "J1", what: "artifact there, cache read-only", play: adopted, want: "adopted", says: "adopted"},
	{id: "J1", what: "cache missing, parent not writable", play: missing, want: "exit status 73", says: "no such file or directory"},
	{id: "J1", what: "cache read-only, nothing built", play: unwritable, want: "exit status 73", says: "read-only file system"},
	{id: "J3", what: "first user's lock, second user comes", play: locksOut, want: "exit status 77", says: "permission denied"},
	{id: "J3", what: "first user died, root comes, sticky directory", play: afterUser, want: "gone",
		says: "does not exist any more", next: takes},
	{id: "kind", what: "hidepid, holder alive", from: hidden, want: "alive", says: "its witness is locked"},
	{id: "kind", what: "hidepid, holder dead", then: killed, from: hidden, want: "gone", says: "does not exist any more"},
	{id: "kind", what: "EPERM: another user's process, alive", from: nobody, want: "alive", says: "runs and is the same process"},
	{id: "kind", what: "EPERM: another user's process, dead", then: killed, from: nobody, want: "gone", says: "does not exist any more"},
	{id: "kind", what: "other time namespace, alive", holder: otherTime, want: "alive", says: "its witness is locked", next: blocked},
	{id: "kind", what: "other time namespace, dead", holder: otherTime, then: killed, want: "gone", says: "its witness is free", next: takes},
}

func adopted(s *scene) seen {
	artifact := filepath.Join(s.dir, "tool")
	if err := os.WriteFile(artifact, []byte("good"), 0o644); err != nil {
		s.Fatal(err)
	}
	return s.told(readOnly(s.dir), "adopted", 0, "run", "--artifact", artifact, s.lock, "--", "false")
}

func missing(s *scene) seen {
	lock := filepath.Join(s.dir, "missing", "k.lock")
	v := s.told(nobody, "exit status 73", 73, "run", lock, "--", "true")
	s.says(v.Evidence, filepath.Dir(lock))
	return v
}

func unwritable(s *scene) seen {
	return s.told(readOnly(s.dir), "exit status 73", 73, "run", s.lock, "--", "true")
}

// locksOut: the first user, here root, keeps its lock to itself.
func locksOut(s *scene) seen {
	s.needRoot()
	s.public()
	s.take(here, hold{})
	if err := os.Chmod(s.current(".."), 0o700); err != nil {
		s.Fatal(err)
	}
	v := s.told(nobody, "exit status 77", 77, "run", s.lock, "--", "true")
	s.says(v.Evidence, s.lock, "uid 0")
	return v
}

func afterUser(s *scene) seen {
	s.public()
	s.take(nobody, hold{})
	s.holder.kill()
	return s.look(here, look{Try: true})
}

// public makes the directory one like /tmp.
func (s *scene) public() {
	s.Helper()
	if err := os.Chmod(s.dir, 0o777|os.ModeSticky); err != nil {
		s.Fatal(err)
	}
}

// told runs the command, which has to end with that status, and reports what it
// said on standard error.
func (s *scene) told(p place, state string, status int, args ...string) seen {
	s.Helper()
	if p.needsRoot() {
		s.needRoot()
	}
	if _, err := genlockProgram(); err != nil {
		s.Fatal(err)
	}
	began := time.Now()
	code, _, stderr := s.genlock(p, args...)
	took := time.Since(began)
	if code != status {
		s.Errorf("exit status %d, want %d", code, status)
	}
	return told(state, took, "%s", stderr)
}
