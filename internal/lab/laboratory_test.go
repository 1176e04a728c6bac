package lab

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestLaboratory lets every verb meet every fault at every operation, kills its
// process after every operation, and cuts the power there. With -v it prints a
// table. docs/testing.md tells what the bounds leave out.
func TestLaboratory(t *testing.T) {
	b := readBounds(t)
	t.Log(b)
	table := &strings.Builder{}
	fmt.Fprintf(table, "%-32s %5s %7s %7s %7s %8s %8s %8s\n",
		"verb", "ops", "faults", "crashes", "cuts", "operator", "rootless", "failures")
	var all tally
	start := time.Now()
	for _, fl := range b.flavours {
		for _, v := range verbs {
			if b.verb != "" && b.verb != v.name || v.local && fl.name == network.name {
				continue
			}
			goroutines := runtime.NumGoroutine()
			x := &experiment{verb: v, flavour: fl, bounds: b, disks: map[string]bool{}}
			x.run()
			x.noGoroutines(goroutines)
			for _, found := range x.found {
				t.Error(found)
			}
			fmt.Fprintf(table, "%-32s %s\n", x.name(), x.tally)
			all.add(x.tally)
		}
	}
	fmt.Fprintf(table, "%-32s %s\n", "all", all)
	t.Logf("in %s\n%s", time.Since(start).Round(time.Second), table)
}

// noGoroutines tells whether all ended that began meanwhile. Those that are just
// ending get the time for it.
func (x *experiment) noGoroutines(before int) {
	now := 0
	for give := time.Now().Add(10 * time.Second); time.Now().Before(give); runtime.Gosched() {
		if now = runtime.NumGoroutine(); now <= before {
			return
		}
	}
	x.report("goroutines", findings{fmt.Sprintf("%d before, %d after", before, now)})
}

// tally counts what was tried.
type tally struct {
	ops, faults, crashes, cuts int
	// operator: after a power cut only an operator could unlock, and did.
	// rootless: what was left is no lock root, and was reported as that.
	operator, rootless, failures int
}

func (t *tally) add(o tally) {
	t.ops += o.ops
	t.faults += o.faults
	t.crashes += o.crashes
	t.cuts += o.cuts
	t.operator += o.operator
	t.rootless += o.rootless
	t.failures += o.failures
}

func (t tally) String() string {
	return fmt.Sprintf("%5d %7d %7d %7d %8d %8d %8d", t.ops, t.faults, t.crashes, t.cuts, t.operator, t.rootless, t.failures)
}

// experiment is one verb on one kind of disk.
type experiment struct {
	verb    verb
	flavour flavour
	bounds  bounds

	mu    sync.Mutex
	tally tally
	found []string
	disks map[string]bool // what power cuts left already
}

func (x *experiment) name() string {
	if x.flavour.name == plain.name {
		return x.verb.name
	}
	return x.verb.name + ", " + x.flavour.name
}

func (x *experiment) run() {
	s := newScene(x.verb, x.flavour)
	err := s.a.under(nil, func() error { return x.verb.run(s) })
	ops := len(s.a.ops)
	x.tally.ops = ops
	if found := s.afterFault(x.verb, fault{}, err); len(found) > 0 {
		x.report("without any fault", found)
		return
	}
	x.parallel(func(do func(func())) {
		for i, f := range x.bounds.faults {
			step := x.bounds.step(f) * x.bounds.coarse(x.verb)
			for k := 1 + i%step; k <= ops; k += step {
				do(func() { x.fault(f, k) })
			}
		}
		for k := 0; k <= ops; k += x.bounds.crashStep() * x.bounds.coarse(x.verb) {
			do(func() { x.crash(k) })
			// Old protocols make nothing durable: what a power cut leaves of their
			// locks is an operator's matter.
			if x.flavour.name != network.name && !x.verb.hold {
				do(func() { x.powerCuts(k) })
			}
		}
	})
}

// parallel runs what jobs hands to do, on as many processors as there are.
func (x *experiment) parallel(jobs func(do func(func()))) {
	queue := make(chan func())
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for job := range queue {
				job()
			}
		})
	}
	jobs(func(job func()) { queue <- job })
	close(queue)
	wg.Wait()
}

// count changes the tally.
func (x *experiment) count(change func(*tally)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change(&x.tally)
}

// mostReports keeps one fault of the code from filling the screen.
const mostReports = 15

// report says what went wrong, where, and how to see it again.
func (x *experiment) report(where string, found findings) {
	if len(found) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tally.failures++
	if len(x.found) < mostReports {
		x.found = append(x.found, fmt.Sprintf("%s, %s:\n\t%s", x.name(), where, strings.Join(found, "\n\t")))
	}
}

// fault runs the verb once, with f at operation k.
func (x *experiment) fault(f fault, k int) {
	s := newScene(x.verb, x.flavour)
	defer s.close()
	err := s.a.under(f.at(k), func() error { return x.verb.run(s) })
	if len(s.a.ops) < k || !f.hits(s.a.ops[k-1]) {
		return
	}
	x.count(func(t *tally) { t.faults++ })
	where := place(s.a.ops, k)
	x.report(fmt.Sprintf("%s at %s", f, where), s.afterFault(x.verb, f, err))
}
