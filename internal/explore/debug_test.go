package explore

import "testing"

func TestDebug(t *testing.T) {
	sc := scenarios[1]
	sc.Preemptions = -1
	k := newKnowledge(sc)
	w := newWorld(sc, k)
	w.everything = true
	w.record = true
	for range 200 {
		o := w.options(true)
		t.Log(o, w.hash())
		if len(o) == 0 {
			break
		}
		w.apply(o[0])
		if len(w.trace) > 0 {
			s := w.trace[len(w.trace)-1]
			t.Log(s.proc, s.op)
		}
	}
}
