package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock/protocol"
)

// scene is one scenario while it is played.
type scene struct {
	*testing.T
	dir, lock string
	holder    *actor
	last      string // the number of what its command started
	skipped   string
}

// scenario is one row of the table: who holds the lock and where, what happens to
// it, who looks at it and from where, and what that one has to see.
type scenario struct {
	id, what string
	holder   place
	hold     hold
	then     func(*scene)
	from     place
	world    world
	// want is the verdict, or the state where there is none, and says a part of the
	// evidence. An empty want is left to play.
	want, says string
	// next is what becomes of the next one who wants the lock.
	next outcome
	// play takes the place of all of the above except the expectations.
	play func(*scene) seen
}

type outcome string

const (
	takes   outcome = "takes it"
	blocked outcome = "is kept out"
	untried outcome = "" // not asked
)

// longPlay tells whether long stops are played in full.
func longPlay() bool { return os.Getenv("GENLOCK_CASES") == "long" }

func (s *scene) needRoot() {
	s.Helper()
	if os.Geteuid() != 0 {
		s.skip("needs root for namespaces, mounts and other users")
	}
}

// skip ends the scenario; the table tells why.
func (s *scene) skip(format string, args ...any) {
	s.Helper()
	s.skipped = fmt.Sprintf(format, args...)
	s.T.Skip(s.skipped)
}

// newScene is a scene with a directory that every user can reach.
func newScene(t *testing.T) *scene {
	t.Helper()
	base := "/dev/shm"
	if _, err := os.Stat(base); err != nil {
		base = ""
	}
	dir, err := os.MkdirTemp(base, "genlock-case-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &scene{T: t, dir: dir, lock: filepath.Join(dir, "k.lock")}
}

func (k *scenario) run(s *scene) seen {
	s.Helper()
	if k.play != nil {
		return k.play(s)
	}
	s.take(k.holder, k.hold)
	if k.then != nil {
		k.then(s)
	}
	return s.look(k.from, look{World: k.world, Try: k.next != untried})
}

// take starts the holder and waits until it holds.
func (s *scene) take(p place, h hold) *actor {
	s.Helper()
	h.Lock = s.lock
	s.holder = s.start(p, "hold", h)
	s.holder.expect("held")
	return s.holder
}

// check compares what was seen with what was to be seen.
func (k *scenario) check(s *scene, v seen) {
	s.Helper()
	if got := v.answer(); k.want != "" && got != k.want || !strings.Contains(v.Evidence, k.says) {
		s.Errorf("%s: %s (%s), want %s: …%s…", got, v.Evidence, v.Err, k.want, k.says)
	}
	switch {
	case k.next == takes && !v.Taken, k.next == blocked && (v.Taken || !v.Held):
		s.Errorf("the next one: taken %v, held %v, %s; want that it %s", v.Taken, v.Held, v.Err, k.next)
	}
	for _, pid := range v.Asked {
		if pid < 1 {
			s.Errorf("process %d was asked for", pid)
		}
	}
}

func (v seen) answer() string {
	if v.Verdict != "" {
		return v.Verdict
	}
	return v.State
}

// What may happen to a holder.

func killed(s *scene)  { s.holder.kill() }
func undead(s *scene)  { s.holder.leave() }
func stopped(s *scene) { s.holder.stop() }

// both does one after the other.
func both(first, second func(*scene)) func(*scene) {
	return func(s *scene) { first(s); second(s) }
}

// edit changes the record.
func edit(change func(s *scene, record map[string]any)) func(*scene) {
	return func(s *scene) {
		s.Helper()
		path := s.current(protocol.RecordName)
		data, err := os.ReadFile(path)
		if err != nil {
			s.Fatal(err)
		}
		record := map[string]any{}
		if err := json.Unmarshal(data, &record); err != nil {
			s.Fatal(err)
		}
		change(s, record)
		if data, err = json.Marshal(record); err == nil {
			err = os.WriteFile(path, data, 0o644)
		}
		if err != nil {
			s.Fatal(err)
		}
	}
}

func pid(n any) func(*scene) {
	return edit(func(_ *scene, record map[string]any) { record["pid"] = n })
}

// current is a path below the held generation.
func (s *scene) current(name string) string {
	return filepath.Join(s.lock+protocol.RootSuffix, protocol.CurrentName, name)
}

// plant puts a generation there that nobody here made.
func (s *scene) plant(record map[string]any) protocol.ID {
	s.Helper()
	if code, _, stderr := s.genlock(here, "run", s.lock, "--", "true"); code != 0 {
		s.Fatal(stderr)
	}
	id := protocol.ID("0123456789abcdef0123456789abcdef")
	record["generation"], record["completionNonce"] = id, id
	data, err := json.Marshal(record)
	if err != nil {
		s.Fatal(err)
	}
	if err := os.Mkdir(s.current(""), 0o755); err != nil {
		s.Fatal(err)
	}
	for name, content := range map[string][]byte{protocol.GenerationName: id.Line(), protocol.RecordName: data} {
		if err := os.WriteFile(s.current(name), content, 0o644); err != nil {
			s.Fatal(err)
		}
	}
	return id
}

// age makes something look as if nobody had touched it for that long.
func (s *scene) age(path string, by time.Duration) {
	s.Helper()
	then := time.Now().Add(-by)
	if err := os.Chtimes(path, then, then); err != nil {
		s.Fatal(err)
	}
}
