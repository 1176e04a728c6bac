package judge

import (
	"testing"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/tree"
)

var (
	unsaid   = evidence.Finding{Rung: evidence.Completion, Why: "it did not say"}
	done     = evidence.Finding{Rung: evidence.Completion, Answer: evidence.Finished, Why: "done"}
	busy     = evidence.Finding{Rung: evidence.Witness, Answer: evidence.Alive, Why: "locked"}
	child    = evidence.Finding{Rung: evidence.Witness, Answer: evidence.Alive, Why: "a child", ChildOnly: true}
	free     = evidence.Finding{Rung: evidence.Witness, Answer: evidence.Gone, Why: "free"}
	mute     = evidence.Finding{Rung: evidence.Witness, Why: "no witness"}
	unseen   = evidence.Finding{Rung: evidence.Witness, Why: "unseen", Withholds: true}
	runs     = evidence.Finding{Rung: evidence.Process, Answer: evidence.Alive, Why: "runs"}
	stopped  = evidence.Finding{Rung: evidence.Process, Answer: evidence.Alive, Why: "stopped", Stopped: true}
	absent   = evidence.Finding{Rung: evidence.Process, Answer: evidence.Gone, Why: "no process"}
	nowhere  = evidence.Finding{Rung: evidence.Process, Why: "other namespace"}
	rebooted = evidence.Finding{Rung: evidence.Boot, Answer: evidence.Gone, Why: "rebooted"}
	other    = evidence.Finding{Rung: evidence.Boot, Why: "other host"}
)

func TestWeigh(t *testing.T) {
	type findings = []evidence.Finding
	for _, c := range []struct {
		name string
		of   findings
		want Answer
		why  string
	}{
		{"nothing", nil, Undecidable, "there is nothing to judge it by"},
		{"only no completion", findings{unsaid}, Undecidable, "there is nothing to judge it by"},
		{"finished beats alive", findings{done, busy, runs}, Finished, "done"},
		{"finished beats gone", findings{done, free, absent}, Finished, "done"},
		{"both alive", findings{unsaid, busy, runs}, Alive, "runs"},
		{"stopped", findings{unsaid, busy, stopped}, Alive, "stopped"},
		{"witness alone alive", findings{busy, nowhere}, Alive, "locked"},
		{"child only", findings{child, absent}, Alive, "a child"},
		{"contradiction: free, but runs", findings{free, runs}, Alive, "runs, although its witness is free"},
		{"contradiction: locked, but rebooted", findings{busy, rebooted}, Alive, "locked, although another sign says that it is gone"},
		{"both gone", findings{unsaid, free, absent}, Gone, "no process"},
		{"witness alone gone", findings{free, nowhere}, Gone, "free"},
		{"process alone gone", findings{mute, absent}, Gone, "no process"},
		{"process gone, witness unseen", findings{unseen, absent}, Undecidable, "no process, but unseen, and a command it started may go on"},
		{"process runs, witness unseen", findings{unseen, runs}, Alive, "runs"},
		{"rebooted, witness unseen", findings{unseen, rebooted}, Gone, "rebooted"},
		{"neither", findings{unsaid, mute, nowhere}, Undecidable, "other namespace, and no witness"},
		{"other host", findings{unsaid, other}, Undecidable, "other host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Weigh(c.of)
			if v.Answer != c.want || v.Why != c.why {
				t.Errorf("%v: %s\nwant %v: %s", v.Answer, v.Why, c.want, c.why)
			}
			if spent := c.want == Gone || c.want == Finished; v.Spent() != spent || v.Reclaimable() != spent {
				t.Errorf("spent %v, reclaimable %v", v.Spent(), v.Reclaimable())
			}
			if len(v.Findings) != len(c.of) {
				t.Errorf("%d findings", len(v.Findings))
			}
		})
	}
}

// TestWeighNeverInvents tries every combination of findings: gone and finished
// are only said when a rung said so, and never against a sign of life.
func TestWeighNeverInvents(t *testing.T) {
	completion := []evidence.Finding{unsaid, done}
	rest := [][]evidence.Finding{
		{busy, child, free, mute, unseen}, {runs, stopped, absent, nowhere}, {rebooted, other}}
	for _, c := range completion {
		for _, w := range rest[0] {
			for _, p := range rest[1] {
				for _, b := range rest[2] {
					v := Weigh([]evidence.Finding{c, w, p, b})
					alive := w.Answer == evidence.Alive || p.Answer == evidence.Alive
					gone := w.Answer == evidence.Gone || b.Answer == evidence.Gone ||
						p.Answer == evidence.Gone && !w.Withholds
					want := Undecidable
					switch {
					case c.Answer == evidence.Finished:
						want = Finished
					case alive:
						want = Alive
					case gone:
						want = Gone
					}
					if v.Answer != want || v.Why == "" {
						t.Errorf("%v %v %v %v: %v %q, want %v", c.Why, w.Why, p.Why, b.Why, v.Answer, v.Why, want)
					}
				}
			}
		}
	}
}

func TestGuardsForbid(t *testing.T) {
	v := Weigh([]evidence.Finding{absent})
	v.Guards = tree.Guards{Pending: true}
	if !v.Spent() || v.Reclaimable() {
		t.Error("a guard binds, and the generation may be reclaimed")
	}
}

func TestAnswerString(t *testing.T) {
	for a, want := range map[Answer]string{Undecidable: "undecidable", Alive: "alive", Gone: "gone", Finished: "finished", 99: "undecidable"} {
		if a.String() != want {
			t.Errorf("%d is %s", a, a)
		}
	}
}
