package explore

import "time"

// oldScenarios are ours beside an old program, hours after the scene was set: each
// once for all pairs of stops, and once with a crash of either.
func oldScenarios() (list []*Scenario) {
	for _, o := range []struct {
		name, dialects string
		windows        []window
	}{
		{"mkdir", "mkdir", []window{byPath}},
		{"v2", "mkdir,v2", nil},
		{"token", "token=here", []window{movesByPath}},
		{"heartbeat", "heartbeat=10s", []window{twoStale}},
	} {
		procs := []Part{{Do: besideOld, Ahead: muchLater}, {Do: oldTenant, Old: o.name, Ahead: muchLater}}
		list = append(list,
			&Scenario{Name: "observe-" + o.name, Before: deadOld(o.name), Dialects: o.dialects, Procs: procs},
			// Nothing is stale, so nobody takes anything away.
			&Scenario{Name: "hold-" + o.name, Before: rooted, Dialects: o.dialects, Hold: true, Procs: procs},
			&Scenario{Name: "hold-dead-" + o.name, Before: deadOld(o.name), Dialects: o.dialects, Hold: true, Procs: procs, Windows: o.windows},
			&Scenario{Name: "hold-ours-" + o.name, Before: crashedHolder, Dialects: o.dialects, Hold: true, Procs: procs, Windows: o.windows})
	}
	for _, sc := range list {
		crash := *sc
		crash.Name, crash.Crashes, crash.Preemptions = sc.Name+"-crash", 1, 1
		sc.Preemptions = 2
		list = append(list, &crash)
	}
	return append(list, oldOddities()...)
}

// oldOddities need more than one of a kind, or much time.
func oldOddities() []*Scenario {
	beside := func(ours func(*Proc), old ...Part) []Part {
		return append([]Part{{Do: ours, Ahead: muchLater}}, old...)
	}
	tenant := func(name string) Part { return Part{Do: oldTenant, Old: name, Ahead: muchLater} }
	thief := func(name string) Part { return Part{Do: oldThief, Old: name, Ahead: muchLater} }
	return []*Scenario{
		{Name: "hold-v2-mkdir", Before: rooted, Dialects: "v2,mkdir", Hold: true, Preemptions: 2,
			Procs: beside(besideOld, tenant("mkdir"))},
		{Name: "hold-twice", Before: rooted, Dialects: "mkdir", Hold: true, Preemptions: 3,
			Procs: beside(twiceBesideOld, tenant("mkdir")), Windows: []window{vanished}},
		{Name: "cancel-hold", Before: deadOld("mkdir"), Dialects: "mkdir,v2", Hold: true, Preemptions: 2,
			Procs:   []Part{{Do: besideOld, Ahead: muchLater, Cancel: true}, {Do: (*Proc).Cancel}, tenant("mkdir")},
			Windows: []window{byPath, vanished}},
		{Name: "steal-mkdir", Before: rooted, Dialects: "mkdir", Hold: true, Preemptions: 2,
			Procs: beside(besideOld, thief("mkdir")), Windows: []window{stolen, vanished}},
		{Name: "steal-v2", Before: rooted, Dialects: "mkdir,v2", Hold: true, Preemptions: 2,
			Procs: beside(besideOld, thief("v2")), Windows: []window{stolen}},
		{Name: "hold-stale", Before: rooted, Dialects: "heartbeat=10s", Hold: true, Preemptions: 2,
			Procs: beside(besideOld, Part{Do: oldTenant, Old: "heartbeat", Ahead: 2 * muchLater}), Windows: []window{stale, twoStale}},
		{Name: "three-old-mkdir", Before: deadOld("mkdir"), Dialects: "mkdir", Hold: true, Preemptions: 2,
			Procs: beside(besideOld, tenant("mkdir"), tenant("mkdir")), Windows: []window{byPath, vanished, lateRecord, thirdTook}},
		{Name: "three-old-v2", Before: deadOld("v2"), Dialects: "mkdir,v2", Hold: true, Preemptions: 2,
			Procs: beside(besideOld, tenant("v2"), tenant("mkdir")), Windows: []window{byPath, vanished, lateRecord, thirdTook}},
		{Name: "two-and-old", Before: deadOld("mkdir"), Dialects: "mkdir", Hold: true, Preemptions: 2,
			Procs: beside(besideOld, Part{Do: besideOld, Ahead: muchLater}, tenant("mkdir")), Windows: []window{byPath, vanished}},
		{Name: "two-observe-old", Before: deadOld("mkdir"), Dialects: "mkdir", Preemptions: 2,
			Procs: beside(besideOld, Part{Do: besideOld, Ahead: muchLater}, tenant("mkdir"))},
	}
}

func init() {
	for _, sc := range oldScenarios() {
		sc.After, sc.Polls = settledOld, 1
		scenarios = append(scenarios, sc)
	}
}

// muchLater is when an old lock without a record is old.
const muchLater = 3 * time.Hour

// besideOld works under the lock and asks whether it still stands.
func besideOld(p *Proc) {
	if l := p.Acquire(); l != nil {
		p.Work()
		p.Told(l)
		p.Release(l)
	}
}

func twiceBesideOld(p *Proc) {
	besideOld(p)
	besideOld(p)
}

// deadOld is a scene in which an old program died holding the lock.
func deadOld(name string) func(*World) {
	return func(w *World) {
		rooted(w)
		w.Crash(w.PlayPart(Part{Do: oldHolder, Old: name}, nil))
	}
}

// settledOld is settled, hours later, unless nothing says whose the old lock is: that is
// undecidable for ever, and for an operator.
func settledOld(w *World) {
	_, _, n := w.disk.at(lockPath, nil)
	if n != nil && w.nameless(n) {
		return
	}
	for _, p := range w.procs[1:] {
		if n != nil && p.forgot == n && !p.dead {
			w.saw(letGo)
			w.Crash(p)
		}
	}
	settledAt(w, 3*muchLater)
}
