package exact

import (
	"encoding/json"
	"strings"
	"testing"
)

type inner struct {
	Boot string `json:"boot,omitempty"`
	Key  string `json:"kind"`
}

type outer struct {
	PID     int    `json:"pid"`
	Name    string `json:"hostname"`
	Plain   string
	Process *inner `json:"process"`
}

// TestExactKeys: a key that only folds to a known one is unknown, wherever it stands,
// and does not win over the one that is meant.
func TestExactKeys(t *testing.T) {
	for text, want := range map[string]outer{
		`{"pid":1,"PID":2,"hostname":"a"}`:               {PID: 1, Name: "a"},
		`{"PID":2,"pid":1}`:                              {PID: 1},
		`{"PID":2}`:                                      {},
		`{"Pid":"not even a number","pid":1}`:            {PID: 1},
		`{"hoſtname":"long s","pid":1}`:                  {PID: 1},
		`{"plain":"a","Plain":"b"}`:                      {Plain: "b"},
		`{"process":{"boot":"a","BOOT":"b"}}`:            {Process: &inner{Boot: "a"}},
		`{"process":{"\u212Aind":"k","kind":"b"}}`:       {Process: &inner{Key: "b"}},
		`{"Process":{"boot":"a"},"other":{"pid":"x"}}`:   {},
		`{"pid":1,"pid":2}`:                              {PID: 2},
		`{"process":null,"hostname":"a","unknown":[{}]}`: {Name: "a"},
	} {
		var got outer
		if err := Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if string(g) != string(w) {
			t.Errorf("%s: read as %s, want %s", text, g, w)
		}
	}
}

// TestExactRefuses: what json refuses is refused with its own words.
func TestExactRefuses(t *testing.T) {
	for _, text := range []string{``, `[1]`, `{"pid":"1"}`, `{"pid":1}x`, `{"process":3}`} {
		var got, plain outer
		err, want := Unmarshal([]byte(text), &got), json.Unmarshal([]byte(text), &plain)
		if err == nil || want == nil || strings.TrimSpace(err.Error()) != want.Error() {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}
