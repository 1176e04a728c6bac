package explore

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestWindows: what excuses an old program that takes our old lock away is said in
// docs/migration.md, in these words, and happens. A window that nothing uses would
// hide a mistake of ours.
func TestWindows(t *testing.T) {
	page, err := os.ReadFile("../../docs/migration.md")
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(strings.Fields(string(page)), " ")
	for _, win := range []window{vanished, thirdTook, lateRecord, letGo} { // see the tests below
		if !strings.Contains(told, string(win)) {
			t.Errorf("docs/migration.md does not say: %s", win)
		}
	}
	for win, at := range map[window]struct {
		name string
		who  int // which of the processes stands at until
		do   func(*Proc, op) bool
	}{
		byPath:      {"hold-dead-mkdir", 1, removing},
		movesByPath: {"hold-dead-token", 1, movingAway},
		stolen:      {"steal-mkdir", 1, nil},
		stale:       {"hold-stale", 1, nil},
		twoStale:    {"hold-dead-heartbeat", 1, removing},
		putBack:     {"observe-token", 0, movingAway},
	} {
		if !strings.Contains(told, string(win)) {
			t.Errorf("docs/migration.md does not say: %s", win)
		}
		sc := *scenarioOf(at.name)
		sc.Immortal, sc.Procs = true, slices.Clone(sc.Procs)
		sc.Procs[at.who].Until = at.do
		stats, f := Hunt(&sc, 1, Limits{Runs: 100})
		if f != nil {
			t.Error(f)
		}
		if !slices.Contains(stats.Windows, win) {
			t.Errorf("nothing uses: %s", win)
		}
	}
}

func removing(_ *Proc, o op) bool { return o.verb == vRmdir && o.name == lockBase }

func movingAway(_ *Proc, o op) bool { return o.verb == vRename && o.name == lockBase }

// An old program finds a lock of ours in its way, which is released before it reads whose
// it was. It takes what vanished for abandoned, and deletes what ours takes next.
func TestVanishedLock(t *testing.T) {
	sc := *scenarioOf("hold-twice")
	w := follow(t, &sc,
		"B until ends its work",
		"C until open k.lock/owner.json",
		"B until make directory k.lock.hold-", // ours, for the second time
		"C until look at k.lock, twice",       // whether it is a file, and how old it is
		"C until look at k.lock",              // before it deletes it
		"B until ends its work",
		"C until begins its work",
		"B",
	)
	if !slices.Equal(w.know.used(), []window{vanished}) {
		t.Error(w.know.windows)
	}
}

// Between ours' last look at a dead lock and its rename an old program puts a new one in
// its place, and when ours has found out another old program has taken the place.
func TestThirdTook(t *testing.T) {
	w := follow(t, scenarioOf("three-old-mkdir"),
		"C until rename k.lock to k.lock.retired-",
		"D until begins its work",
		"C until look at k.lock.retired-",
		"E until begins its work",
		"C",
	)
	if !slices.Equal(w.know.used(), []window{thirdTook}) {
		t.Error(w.know.windows)
	}
}

// An old program is stopped between making L and writing its record. Another one, which
// had judged the lock before that one, removes its L by path. It writes its record
// into the L of a successor, which is ours, works on, and is killed; then a third takes
// what its record calls abandoned.
func TestLateRecord(t *testing.T) {
	sc := *scenarioOf("three-old-mkdir")
	sc.Procs = append(slices.Clone(sc.Procs), Part{Do: oldTenant, Old: "mkdir", Ahead: muchLater})
	w := follow(t, &sc,
		"D until list k.lock",
		"E until remove directory k.lock, twice",
		"D until create k.lock/owner.json",
		"E",
		"C until ends its work",
		"D until ends its work",
		"!D",
		"F until begins its work",
		"C",
	)
	if !slices.Equal(w.know.used(), []window{lateRecord}) {
		t.Error(w.know.windows)
	}
}

// Ours moves away a new lock by mistake, whose holder releases it in that instant. It is
// put back, and stays until that process ends.
func TestReleasedWhileMoved(t *testing.T) {
	w := follow(t, scenarioOf("observe-mkdir"),
		"C until rename k.lock to k.lock.retired-",
		"D until ends its work",
		"C until rename k.lock.retired-",
		"D",
		"C",
	)
	if !slices.Equal(w.know.used(), []window{putBack, letGo}) {
		t.Error(w.know.windows)
	}
}
