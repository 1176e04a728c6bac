package legacy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"genlock.dev/genlock/internal/evidence"
)

// Ours stops before its step k, an old program before its step j; then ours goes on
// and then the old one, all real processes. Both never hold the lock, unless ours
// finds out that it was taken away. The schedules are a handful; all of them
// are played on the model file system (TestHoldAgainstOldProgram).
func TestRealStopPoints(t *testing.T) {
	if !evidence.System().Self().InitialPIDNS {
		t.Skip("from outside the initial PID namespace no old holder can be proven dead")
	}
	stops, theirs := []int{2, 10, 20}, []int{2, 5, 9, 16}
	if os.Getenv("GENLOCK_LONG") != "" {
		stops = nil
		for n := 1; n < 40; n += 2 {
			stops = append(stops, n)
		}
		theirs = stops
	}
	for _, tt := range lists {
		for _, start := range []string{"free", "a dead old holder"} {
			t.Run(fmt.Sprintf("%s and %s from %s", tt.list, tt.name, start), func(t *testing.T) {
				pairs, taken, got := 0, 0, map[string]int{}
				for _, k := range stops {
					for _, j := range theirs {
						lock := filepath.Join(t.TempDir(), "k.lock")
						if start != "free" {
							leaveDead(t, tt.name, lock)
						}
						ours, old, paired := playPair(t, worker{List: tt.list, Lock: lock, Stop: k}, worker{Old: tt.name, Lock: lock, Stop: j})
						if paired {
							pairs++
						}
						if got["ours "+ours]++; ours == sayLost {
							taken++
						}
						got["old "+old]++
						if ours == sayKept && old == sayHeld {
							t.Errorf("k=%d j=%d: both hold the lock", k, j)
						}
					}
				}
				t.Logf("in %d pairs both had stopped; %v", pairs, got)
				if pairs == 0 || got["ours "]+got["old "] > 0 {
					t.Error("they did not come to where they should stop")
				}
				if taken > 0 && start == "free" {
					t.Error("nothing was stale, so nobody may have taken it away")
				}
			})
		}
	}
}

// leaveDead leaves the lock of an old program that is dead, and old enough for rules
// by age.
func leaveDead(t *testing.T, name, lock string) {
	t.Helper()
	dead := begin(t, worker{Old: name, Lock: lock}.command(t))
	dead.untilHeld()
	dead.kill()
	if name == "v2" {
		return
	}
	long := time.Now().Add(-time.Minute)
	if err := os.Chtimes(lock, long, long); err != nil {
		t.Fatal(err)
	}
}

// playPair tells what became of both: ours kept it, lost it or did not get it; the old
// one holds it or not. paired: both were stopped at the same time.
func playPair(t *testing.T, us, them worker) (ours, old string, paired bool) {
	t.Helper()
	a := begin(t, us.command(t))
	ours = a.says()
	b := begin(t, them.command(t))
	old = b.says()
	paired = ours == sayStopped && old == sayStopped
	ours = a.past(ours)
	old = b.past(old)
	if ours == sayHeld {
		a.goOn()
		ours = a.says()
	}
	b.kill()
	return ours, old, paired
}

// past is what it says next if it said that it has stopped.
func (r *running) past(said string) string {
	if said != sayStopped {
		return said
	}
	r.goOn()
	return r.says()
}
