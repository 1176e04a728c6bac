package operate

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock/internal/eventlog"
	"genlock.dev/genlock/protocol"
)

// farm invents the log of a build farm: n processes on some hosts want one or two
// of some locks each; whoever comes first builds, the others wait and adopt. Some
// crash, fail, or give up.
type farm struct {
	b    *historian
	rand *rand.Rand
	next int
	now  time.Time

	operator eventlog.Who
}

func (f *farm) id() protocol.ID {
	f.next++
	return protocol.ID(fmt.Sprintf("%032x", f.next))
}

func newFarm() *farm {
	return &farm{b: newHistorian(), rand: rand.New(rand.NewPCG(1, 2)), now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.Local)}
}

func (f *farm) process(host, i int, label string) eventlog.Who {
	return eventlog.Who{Instance: f.id(), PID: 4000 + 7*i, Hostname: fmt.Sprintf("ci-%d", host), Label: label}
}

// build lets procs want lock one after another; each result is what becomes of it.
func (f *farm) build(lock string, at time.Time, took time.Duration, procs []eventlog.Who, outcome string) time.Time {
	id, holder := f.id(), procs[0]
	f.b.add(eventlog.Entry{Event: "acquired", Time: at, Lock: lock, Generation: id, Process: holder})
	end := at.Add(took)
	came := make([]time.Time, len(procs))
	for i, p := range procs[1:] {
		came[i+1] = at.Add(time.Duration(f.rand.Int64N(int64(took))))
		f.b.add(eventlog.Entry{Event: "waiting", Time: came[i+1], Lock: lock, Generation: id, Process: p, Holder: &holder, State: "held"})
	}
	switch outcome {
	case "crash":
		next := f.id()
		f.b.add(eventlog.Entry{Event: "reclaimed", Time: end, Lock: lock, Generation: id, Process: procs[1], Evidence: "its witness is free"})
		f.b.add(eventlog.Entry{Event: "acquired", Time: end, Lock: lock, Generation: next, Process: procs[1], Waited: end.Sub(came[1]).Seconds()})
		for _, p := range procs[2:] {
			f.b.add(eventlog.Entry{Event: "waiting", Time: end, Lock: lock, Generation: next, Process: p, Holder: &procs[1], State: "held"})
		}
		end = end.Add(took)
		id, procs = next, procs[1:]
	case "break":
		f.b.add(eventlog.Entry{Event: eventlog.Breaks, Time: end, Lock: lock, Generation: id, Process: f.operator, By: "ada@ci-0", Message: "it hangs"})
	case "fail":
		exit := 1
		f.b.add(eventlog.Entry{Event: "failed", Time: end, Lock: lock, Generation: id, Process: holder, Exit: &exit})
	}
	f.b.add(eventlog.Entry{Event: "released", Time: end, Lock: lock, Generation: id, Process: procs[0]})
	for i, p := range procs[1:] {
		event := "adopted"
		if i%7 == 5 {
			event = eventlog.GaveUp
		}
		f.b.add(eventlog.Entry{Event: event, Time: end, Lock: lock, Generation: id, Process: p, Artifact: "/cache/out/tool"})
	}
	return end
}

func (f *farm) done() *History {
	f.b.finish(f.now)
	f.b.h.arrange()
	return f.b.h
}

func farmOf(lanes int) *History {
	f := newFarm()
	f.operator = f.process(0, 9999, "genlock break")
	var procs []eventlog.Who
	for i := range lanes {
		procs = append(procs, f.process(i*12/max(lanes, 12), i, []string{"go build ./cmd/tool", "tsc plugins", "nightly"}[i%3]))
	}
	locks := []string{"tool-6f2a.lock", "plugins/lint-90aa.lock", "plugins/fmt-11c0.lock", "proto-77aa.lock", "docs-a0.lock", "img-3.lock"}
	group := max(lanes/len(locks), 3)
	for i := 0; i < lanes; i += group {
		n := i / group
		at := f.now.Add(time.Duration(n*3) * time.Second)
		for turn := range 3 {
			part := procs[i:min(i+group, lanes)]
			if turn == 1 && len(part) > 3 {
				part = part[len(part)/3:]
			}
			outcome := []string{"", "crash", "fail", "break"}[(n+turn)%4]
			if len(part) < 2 {
				continue
			}
			at = f.build("/cache/"+locks[(n+turn)%len(locks)], at.Add(time.Second), time.Duration(8+n*3+turn*7)*time.Second, part, outcome)
		}
	}
	return f.done()
}

// TestPictures draws 3, 40 and 300 processes, of which one is an operator's. The picture is well-formed, and each
// hold and each wait is in it once. GENLOCK_PICTURES names a directory to keep
// them in, for eyes.
func TestPictures(t *testing.T) {
	for _, lanes := range []int{1, 3, 40, 299} {
		h := farmOf(lanes)
		var out bytes.Buffer
		if err := h.WriteSVG(&out, Target{Path: "/cache"}); err != nil {
			t.Fatal(err)
		}
		if keep := os.Getenv("GENLOCK_PICTURES"); keep != "" {
			if err := os.WriteFile(filepath.Join(keep, fmt.Sprintf("farm-%d.svg", lanes)), out.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			h.WriteText(&text, Target{Path: "/cache"}, 120)
			os.WriteFile(filepath.Join(keep, fmt.Sprintf("farm-%d.txt", lanes)), text.Bytes(), 0o666)
		}
		if got, want := strings.Count(out.String(), `<rect class="b"`), len(h.Holds)+len(h.Waits); got != want {
			t.Errorf("%d lanes: %d bars for %d holds and waits", lanes, got, want)
		}
		dec := xml.NewDecoder(&out)
		for {
			if _, err := dec.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%d lanes: %v", lanes, err)
			}
		}
	}
}

// TestPictureOfTooMany: of more processes than can be told apart those are shown that
// matter most, and what an operator did in any case.
func TestPictureOfTooMany(t *testing.T) {
	h := farmOf(2 * svgLanes)
	var out bytes.Buffer
	if err := h.WriteSVG(&out, Target{Path: "/cache"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"301 more processes", "genlock break", "it hangs"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in it", want)
		}
	}
}
