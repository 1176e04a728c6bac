package main

import (
	"testing"
	"time"
)

func TestFillIn(t *testing.T) {
	for arg, want := range map[string]string{
		"{}": "/s/x", "-o={}": "-o=/s/x", "--out-dir={}/bin": "--out-dir=/s/x/bin", "OUT={}": "OUT=/s/x",
		"{}.o": "{}.o", "a{}": "a{}", "X=1; f() {}; cp a {}": "X=1; f() {}; cp a {}", "{x={}}": "{x={}}", "": "",
		"a={}:{}": "a=/s/x:/s/x",
	} {
		if got := fillIn([]string{"cmd", arg}, "/s/x")[1]; got != want {
			t.Errorf("%q becomes %q, want %q", arg, got, want)
		}
		if got := fillIn([]string{arg}, "")[0]; got != arg {
			t.Errorf("without an artifact %q becomes %q", arg, got)
		}
	}
}

func TestSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"10": 10 * time.Second, "0.5": time.Second / 2, "1m30s": 90 * time.Second, "0": 0, "1e3": 1000 * time.Second,
	} {
		var s span
		if err := s.Set(text); err != nil || s.Duration != want || !s.set {
			t.Errorf("%s: %v, %v", text, s.Duration, err)
		}
	}
	for _, text := range []string{"", "-1", "-5s", "soon", "NaN", "Inf", "1e300", "10 s"} {
		if new(span).Set(text) == nil {
			t.Errorf("%q is taken for a time", text)
		}
	}
}

// TestSchedule: a line after a second, then ever less often.
func TestSchedule(t *testing.T) {
	var s schedule
	var told []int
	for second := range 200 {
		if s.due(time.Duration(second)*time.Second + time.Millisecond) {
			told = append(told, second)
		}
	}
	want := []int{1, 10, 30, 60, 120, 180}
	if len(told) != len(want) {
		t.Fatal(told)
	}
	for i := range want {
		if told[i] != want[i] {
			t.Fatal(told)
		}
	}
}
