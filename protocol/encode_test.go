package protocol

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestEncode: a record is written as encoding/json writes it, whatever is in it.
func TestEncode(t *testing.T) {
	odd := []string{"", "plain", `"`, `\`, "a\nb", "<a&b>", "\x00", "\x7f", "é", "\u2028", "\xff\xfe", "日本"}
	process := func(s string) *Process {
		return &Process{Boot: s, Machine: s, PIDNS: Number(s), TimeNS: Number(s), Start: Number(s),
			Instance: ID(s), Witness: s, Dev: Number(s), Ino: Number(s)}
	}
	var all []*Record
	for i, s := range odd {
		r := &Record{Generation: ID(s), Nonce: ID(s), Hostname: s, PID: i - 1, StartedAt: s}
		full := *r
		full.Process, full.About, full.Hold = process(s), &About{Label: s, Argv: odd, CWD: s, User: s}, odd
		all = append(all, r, &full, &Record{About: &About{}, Process: &Process{}, Hold: []string{}, PID: 1 << 40})
	}
	for _, r := range all {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
		if got, err := r.Encode(); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%v\ngot  %swant %s", err, got, want.Bytes())
		}
	}
}
