package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// what happened, in one word.
type what string

const (
	enter      what = "enter"      // Since the call that acquired, At its return
	leave      what = "leave"      // right before the call that releases
	released   what = "released"   // that call returned; Text is ok, lost or the error
	done       what = "done"       // a command of the tenure ended
	inside     what = "inside"     // Other was still in the section
	lost       what = "lost"       // the holder was told that it lost the lock
	breaking   what = "breaking"   // right before an operator's break of Gen
	broke      what = "broke"      // it reported success
	publishing what = "publishing" // right before Gen publishes
	published  what = "published"  // Since publishing; it reported success
	removing   what = "removing"   // right before a holder removes the artifact
	adopted    what = "adopted"    // the artifact is there, and is Gen's
	missing    what = "missing"    // it was adopted and is not there
	torn       what = "torn"       // an artifact is not whole
	refused    what = "refused"    // an honest no: held, expired, cancelled
	odd        what = "odd"        // any other error
	looked     what = "looked"     // status, list, doctor, prune or collect came to an end
	kill       what = "kill"       // right before SIGKILL of Who and all inside it
	fault      what = "fault"      // the disk was spoilt, from Since to At
)

// event is one line of the history. Times are nanoseconds of one clock that all
// processes of the machine share and nobody sets.
type event struct {
	What  what   `json:"what"`
	At    int64  `json:"at"`
	Since int64  `json:"since,omitempty"`
	Who   string `json:"who"`
	Key   string `json:"key,omitempty"`
	Gen   string `json:"gen,omitempty"`
	Old   bool   `json:"old,omitempty"` // by an old program
	Other string `json:"other,omitempty"`
	Text  string `json:"text,omitempty"`
}

func (e event) String() string {
	s := fmt.Sprintf("%14.6f %-10s %-8s", float64(e.At)/1e9, e.What, e.Who)
	if e.Since != 0 {
		s += fmt.Sprintf(" (since %.6f)", float64(e.Since)/1e9)
	}
	for _, field := range []string{e.Key, e.Gen, e.Other, e.Text} {
		if field != "" {
			s += " " + field
		}
	}
	return s
}

func (e event) failedRelease() bool { return e.What == released && e.Text != "ok" && e.Text != "lost" }

// history is a file to which all processes append.
type history struct{ file *os.File }

func openHistory(path string) (*history, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	return &history{f}, err
}

// say appends one line with one write, so that it is there or not when its writer
// is killed.
func (h *history) say(e event) {
	data, err := json.Marshal(e)
	if err == nil {
		_, err = h.file.Write(append(data, '\n'))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos: history:", err)
		os.Exit(1)
	}
}

func readHistory(path string) ([]event, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []event
	for line := range strings.Lines(string(data)) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return nil, fmt.Errorf("history: %q: %w", line, err)
		}
		all = append(all, e)
	}
	return all, nil
}
