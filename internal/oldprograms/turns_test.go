package oldprograms

import (
	"fmt"
	"testing"
)

// The judge of the logs finds what there is to find, and calls it what it is.
func TestJudge(t *testing.T) {
	for _, tt := range []struct{ log, want string }{
		{"ready ours:1\nin ours:1:0\nout ours:1:0\nin v2:2:0\nout v2:2:0\nin ours:1:1\nout ours:1:1\n", "3 0 0 0"},
		{"in v2:2:0\nin v2:3:0\nout v2:2:0\nout v2:3:0\n", "2 1 0 0"},
		{"in v2:2:0\nin ours:1:0\nout v2:2:0\nout ours:1:0\n", "2 0 0 1"},
		{"in ours:1:0\nin v2:2:0\nout v2:2:0\nout ours:1:0\n", "2 0 0 1"},
		{"in ours:1:0\nin v2:2:0\nout v2:2:0\nout ours:1:0\nlost ours:1:0\n", "2 0 1 0"},
		{"in ours:1:0\nin v2:2:0\nout v2:2:0\nout ours:1:0\nlost ours:1:1\n", "2 0 0 1"},
		{"in ours:1:0\nin ours:4:0\nout ours:1:0\nlost ours:1:0\nout ours:4:0\n", "2 0 0 1"},
		{"in v2:2:0\nin v2:3:0\nin ours:1:0\n", "3 1 0 2"},
	} {
		o := Judge(tt.log)
		if got := fmt.Sprint(o.Turns, len(o.Theirs), len(o.Taken), len(o.Wrong)); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.log, got, tt.want)
		}
	}
}
