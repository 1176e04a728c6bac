package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// TestReportInLog: what a wait of two minutes for a holder of whom nothing can be proven
// leaves in a log: nothing in the first second, then a whole line with the way out, and
// ever fewer after that; nothing that only a terminal understands.
func TestReportInLog(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	seen := &observer.Observation{Lock: "/c/k.lock", State: observer.Undecidable, Generation: protocol.ID(strings.Repeat("a", 32)),
		Evidence: "recorded on ghost, this is vm", Next: "genlock break /c/k.lock",
		Holder: &observer.Holder{PID: 12, Hostname: "ghost", Argv: []string{"make"}, CWD: "/src", Started: began.Add(-96 * time.Hour)}}
	lines := func(waits, every time.Duration, quiet bool) []string {
		t.Helper()
		f, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r := newTextReport(f, waitBounds{total: 5 * time.Minute}, quiet)
		for waited := time.Duration(0); waited <= waits; waited += every {
			r.event(genlock.Event{Kind: genlock.EventWaiting, Lock: "k.lock", Generation: seen.Generation, Time: began.Add(waited), Waited: waited, Seen: seen})
		}
		data, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(data), "\r\x1b") {
			t.Errorf("a log with the codes of a terminal: %q", data)
		}
		return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	if short := lines(900*time.Millisecond, 100*time.Millisecond, false); len(short) != 1 || short[0] != "" {
		t.Errorf("a short wait says %q", short)
	}
	if quiet := lines(2*time.Minute, time.Second, true); len(quiet) != 1 || quiet[0] != "" {
		t.Errorf("-q says %q", quiet)
	}
	got := lines(2*time.Minute, time.Second, false)
	var starts []string
	for _, line := range got {
		start, _, _ := strings.Cut(strings.TrimPrefix(line, "genlock: "), ":")
		starts = append(starts, start)
	}
	want := "waiting, hint, still waiting after 10s, still waiting after 30s, still waiting after 1m0s, still waiting after 2m0s"
	if strings.Join(starts, ", ") != want {
		t.Errorf("lines begin with %q, want %s", starts, want)
	}
	for _, fact := range []string{"lock k.lock", "pid 12 (make) on ghost", "(96h0m1s)", "recorded on ghost, this is vm", "it works in /src", "will wait for 4m59s more"} {
		if !strings.Contains(got[0], fact) {
			t.Errorf("%q does not tell %q", got[0], fact)
		}
	}
	if !strings.Contains(got[1], "genlock break /c/k.lock") && !strings.Contains(got[1], "genlock doctor") {
		t.Errorf("%q does not tell what to do", got[1])
	}
}
