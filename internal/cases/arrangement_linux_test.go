package cases

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock"
)

// arrangements are two places whose processes do not see each other.
var arrangements = []struct {
	name  string
	where [2]place
}{
	{"outside, inside", [2]place{here, container}},
	{"inside, outside", [2]place{container, here}},
	{"siblings", [2]place{nested, nested}},
	{"both pid 1", [2]place{container, container}},
}

// nested is a container whose first process is somebody else.
var nested = place{flags: container.flags, setup: []string{"proc", "child"}}

// turns takes turns, from when it is told. Inside the section it makes a file that
// must not exist.
type turns struct {
	Lock, Section string
	World         world
	Turns         int
	// Name tells the processes apart: their numbers may be the same.
	Name string
}

func (w *turns) run() error {
	ctx, m := w.World.in()
	lock := genlock.New(w.Lock, nil)
	fmt.Println("ready")
	fmt.Scanln()
	handed := 0
	for n := range w.Turns {
		lease, err := lock.Acquire(ctx)
		if err != nil {
			return err
		}
		f, err := os.OpenFile(w.Section, os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return fmt.Errorf("overlap in turn %d: %w", n, err)
		}
		f.Close()
		if last, _ := os.ReadFile(w.Section + ".last"); len(last) > 0 && string(last) != w.Name {
			handed++
		}
		if err := os.WriteFile(w.Section+".last", []byte(w.Name), 0o666); err != nil {
			return err
		}
		if err := os.Remove(w.Section); err != nil {
			return fmt.Errorf("overlap in turn %d: %w", n, err)
		}
		if err := lease.Release(); err != nil {
			return err
		}
	}
	fmt.Println("done", handed, "times taken over, as pid", m.self.PID, "in", m.self.PIDNS)
	return nil
}

// contend lets processes in these places take turns, all at once, and tells how
// long that took.
func (s *scene) contend(where []place, t turns) time.Duration {
	s.Helper()
	t.Lock, t.Section = s.lock, filepath.Join(s.dir, "section")
	var all []*actor
	for i, p := range where {
		t.Name = strconv.Itoa(i)
		all = append(all, s.start(p, "turns", t))
	}
	for _, a := range all {
		a.expect("ready")
	}
	began := time.Now()
	for _, a := range all {
		fmt.Fprintln(a.in)
	}
	for _, a := range all {
		answer := a.expect("done")
		if s.Log(answer); strings.HasPrefix(answer, "0 ") {
			s.Error("one of them never took over from another")
		}
	}
	return time.Since(began)
}

// TestArrangements: processes that cannot see each other take turns under load,
// and never two at once.
func TestArrangements(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 20
	}
	for _, a := range arrangements {
		t.Run(a.name, func(t *testing.T) {
			s := newScene(t)
			s.needRoot()
			for range 2 {
				s.start(here, "burn", burn{})
			}
			took := s.contend(a.where[:], turns{Turns: n})
			t.Logf("2 x %d turns in %s", n, short(took))
		})
	}
}

// TestNamespaceKilled: when the namespace of the holder is killed as a whole, who
// waits elsewhere has the lock, and soon. The times are reported, not judged: a
// busy machine may need any time.
func TestNamespaceKilled(t *testing.T) {
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	for _, a := range arrangements {
		t.Run(a.name, func(t *testing.T) {
			var took []time.Duration
			for range rounds {
				took = append(took, handOver(newScene(t), a.where))
			}
			slices.Sort(took)
			t.Logf("from SIGKILL to the lock: median %s, worst %s of %d", short(took[rounds/2]), short(took[rounds-1]), rounds)
		})
	}
}

// handOver kills the holder in the first place and tells how long it took until
// the waiter in the second one had the lock.
func handOver(s *scene, where [2]place) time.Duration {
	s.needRoot()
	s.take(where[0], hold{})
	w := s.start(where[1], "wait", wait{Lock: s.lock})
	w.expect("waiting")
	began := time.Now()
	if err := s.holder.Process.Kill(); err != nil {
		s.Fatal(err)
	}
	nano, err := strconv.ParseInt(w.expect("acquired"), 10, 64)
	if err != nil {
		s.Fatal(err)
	}
	s.holder.wait()
	return time.Unix(0, nano).Sub(began)
}
