package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// hostCases are group C, and reboots: holders of another machine, or of this one
// in another life.
var hostCases = []scenario{
	{id: "C1", what: "died on another host, four days ago", play: ghost, want: "undecidable", says: "recorded on ghost, this is ", next: blocked},
	{id: "C1", what: "the operator unlocks it", play: unlocked, want: "free"},
	{id: "C2", what: "old record without a host, two days old", play: hostless, want: "undecidable",
		says: "its record is unusable and no witness tells who made it (owner.json: unusable record: it names no host)", next: blocked},
	{id: "C2", what: "old lock directory without a host, looked at twice", play: oldDirectory, want: "undecidable", next: blocked},
	{id: "kind", what: "the holder lives and noted that it is done", then: finished,
		want: "finished", says: "its holder recorded that it is done", next: takes},
	{id: "kind", what: "our own, and no lease of it is left", play: forgotten,
		want: "finished", says: "this very process published it"},
	{id: "kind", what: "the machine was started anew", then: killed, world: world{Reboot: true},
		want: "gone", says: "this machine was started anew since", next: takes},
	{id: "kind", what: "the same, holder in a container", holder: container, then: killed, world: world{Reboot: true},
		want: "gone", says: "this machine was started anew since", next: takes},
	{id: "kind", what: "record says rebooted, witness is locked", world: world{Reboot: true},
		want: "alive", says: "its witness is locked", next: blocked},
	{id: "kind", what: "machine id missing, alive", holder: withoutID, from: withoutID,
		want: "alive", says: "runs and is the same process", next: blocked},
	{id: "kind", what: "machine id missing, dead", holder: withoutID, then: killed, from: withoutID,
		want: "gone", says: "does not exist any more", next: takes},
	{id: "kind", what: "machine id missing, started anew", holder: withoutID, then: killed, from: withoutID, world: world{Reboot: true},
		want: "undecidable", says: "without both machine ids", next: blocked},
	{id: "kind", what: "our boot id unreadable, alive", from: bootless,
		want: "alive", says: "its witness is locked", next: blocked},
	{id: "kind", what: "our boot id unreadable, dead", then: killed, from: bootless,
		want: "undecidable", says: "without both boot ids", next: blocked},
	{id: "kind", what: "holder could not read its boot id, alive", holder: bootless,
		want: "alive", says: "its witness is locked", next: blocked},
	{id: "kind", what: "holder could not read its boot id, dead", holder: bootless, then: killed,
		want: "undecidable", says: "without both boot ids", next: blocked},
}

// haunt plants the record of a machine that died days ago.
func haunt(s *scene) string {
	s.Helper()
	id := s.plant(map[string]any{"hostname": "ghost", "pid": 4711,
		"startedAt": time.Now().Add(-96 * time.Hour).UTC().Format(time.RFC3339),
		"process": map[string]any{"boot": strings.Repeat("9", 32), "machine": strings.Repeat("9", 16),
			"pidns": "4026531836", "timens": "4026531834", "start": "1", "witness": "none"}})
	s.age(s.current(""), 96*time.Hour)
	return string(id)
}

// ghost also asks what the command tells somebody who meets the lock.
func ghost(s *scene) seen {
	id := haunt(s)
	code, _, stderr := s.genlock(here, "run", "-w", "0.3", s.lock, "--", "true")
	if code != 75 {
		s.Errorf("exit status %d", code)
	}
	s.says(stderr, "pid 4711 on ghost", "(96h0m", "recorded on ghost", "genlock break "+s.lock+" --generation "+id)
	_, stdout, _ := s.genlock(here, "status", s.lock)
	s.says(stdout, "undecidable", "pid 4711 on ghost", "(96h0m", "recorded on ghost", "genlock break")
	return s.look(here, look{Try: true})
}

func unlocked(s *scene) seen {
	id := haunt(s)
	wrong := strings.Repeat("a", 32)
	if code, _, _ := s.genlock(here, "break", s.lock, "--generation", wrong); code == 0 {
		s.Error("broke a generation that was not there")
	}
	if code, _, stderr := s.genlock(here, "break", s.lock, "--generation", id, "--reason", "it burned down"); code != 0 {
		s.Error(stderr)
	}
	_, stdout, _ := s.genlock(here, "status", s.lock)
	s.says(stdout, "was broken by", "it burned down")
	return s.look(here, look{})
}

// hostless is a record of this format that names no machine; its maker lives in a
// container, which nobody can know.
func hostless(s *scene) seen {
	a := s.start(container, "linger", linger{})
	s.plant(map[string]any{"hostname": "", "pid": a.Process.Pid, "startedAt": ""})
	s.age(s.current(""), 48*time.Hour)
	first := s.look(here, look{Try: true})
	if first.Taken {
		return first
	}
	return s.look(here, look{Try: true})
}

// oldDirectory is the lock of the first protocol, which had a directory and,
// later, a record in it.
func oldDirectory(s *scene) (v seen) {
	if err := os.Mkdir(s.lock, 0o755); err != nil {
		s.Fatal(err)
	}
	data, err := json.Marshal(map[string]any{"pid": 4711, "startedAt": ""})
	if err == nil {
		err = os.WriteFile(filepath.Join(s.lock, "owner.json"), data, 0o644)
	}
	if err != nil {
		s.Fatal(err)
	}
	s.age(s.lock, 48*time.Hour)
	for range 2 {
		if v = s.look(here, look{Try: true}); v.Taken {
			return v
		}
	}
	if _, err := os.Stat(filepath.Join(s.lock, "owner.json")); err != nil {
		s.Error(err)
	}
	return v
}

// says checks that a text for people has all the parts.
func (s *scene) says(text string, parts ...string) {
	s.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			s.Errorf("it does not say %q:\n%s", part, text)
		}
	}
}

// told is a row about what the command said instead of what status shows.
func told(state string, took time.Duration, format string, args ...any) seen {
	return seen{State: state, Took: took, Evidence: strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")}
}

// finished: the holder could not retire its generation and left the note that it is
// done instead, which it alone can write.
func finished(s *scene) {
	s.Helper()
	data, err := os.ReadFile(s.current(protocol.RecordName))
	if err != nil {
		s.Fatal(err)
	}
	record, err := protocol.ParseRecord(data)
	if err == nil {
		err = os.WriteFile(s.current(protocol.CompletionName), record.Nonce.Line(), 0o644)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// forgotten: this very process published the lock, and no lease of it is left.
func forgotten(s *scene) seen {
	lease, err := genlock.New(s.lock, nil).TryAcquire(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { lease.Release() })
	l := look{Lock: s.lock, World: world{NoLeases: true}}
	return l.look()
}
