package evidence_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
)

// situation is one line of the trust table in docs/evidence.md. Most lines there
// have several here.
type situation struct {
	name string
	// holder changes what the holder says about itself.
	holder func(*evidence.Self)
	// then is what happened since.
	then func(*scene)
	want judge.Answer
	// why is part of the sentence.
	why                string
	childOnly, stopped bool
}

func inContainer(s *evidence.Self) { s.PIDNS, s.InitialPIDNS = "4026532001", false }

// allSituations are the lines by group.
func allSituations() map[string][]situation {
	all := map[string][]situation{}
	for _, part := range []map[string][]situation{situationsHere, situationsElsewhere, situationsOdd} {
		maps.Copy(all, part)
	}
	return all
}

// TestTrustTable judges every situation of the trust table. With -v it prints
// the table as it came out.
func TestTrustTable(t *testing.T) {
	for group, list := range allSituations() {
		for _, c := range list {
			t.Run(group+"/"+c.name, func(t *testing.T) {
				s := newScene(t, c.holder)
				if c.then != nil {
					c.then(s)
				}
				began := time.Now()
				v := judge.Weigh(evidence.Gather(s.us, s.p))
				t.Logf("%-11s %s (%v)", v.Answer, v.Why, time.Since(began).Round(time.Microsecond))
				if v.Answer != c.want || !strings.Contains(v.Why, c.why) {
					t.Errorf("got %v: %s\nwant %v: …%s…", v.Answer, v.Why, c.want, c.why)
				}
				if v.ChildOnly != c.childOnly || v.Stopped != c.stopped {
					t.Errorf("child only %v, stopped %v; want %v, %v", v.ChildOnly, v.Stopped, c.childOnly, c.stopped)
				}
			})
		}
	}
}
