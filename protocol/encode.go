package protocol

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Encode writes the record as it stands on disk: what encoding/json would write,
// put together by hand, because every turn writes one.
func (r *Record) Encode() ([]byte, error) {
	e := encoder{buf: make([]byte, 0, 512)}
	e.text(`{"generation":`, string(r.Generation))
	e.text(`,"completionNonce":`, string(r.Nonce))
	e.text(`,"hostname":`, r.Hostname)
	e.buf = append(e.buf, `,"pid":`...)
	e.buf = strconv.AppendInt(e.buf, int64(r.PID), 10)
	e.text(`,"startedAt":`, r.StartedAt)
	if p := r.Process; p != nil {
		e.text(`,"process":{"boot":`, p.Boot)
		e.text(`,"machine":`, p.Machine)
		e.text(`,"pidns":`, string(p.PIDNS))
		e.text(`,"timens":`, string(p.TimeNS))
		e.text(`,"start":`, string(p.Start))
		e.text(`,"instance":`, string(p.Instance))
		e.text(`,"witness":`, p.Witness)
		e.text(`,"dev":`, string(p.Dev))
		e.text(`,"ino":`, string(p.Ino))
		e.buf = append(e.buf, '}')
	}
	switch a := r.About; {
	case a == nil:
	case a.Label == "" && len(a.Argv) == 0 && a.CWD == "" && a.User == "":
		e.buf = append(e.buf, `,"about":{}`...)
	default:
		e.any(`,"about":`, a)
	}
	if len(r.Hold) > 0 {
		e.any(`,"hold":`, r.Hold)
	}
	return append(e.buf, "}\n"...), e.err
}

// encoder remembers the first error.
type encoder struct {
	buf []byte
	err error
}

func (e *encoder) text(key, value string) {
	if !isPlain(value) {
		e.any(key, value)
		return
	}
	e.buf = append(e.buf, key...)
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, value...)
	e.buf = append(e.buf, '"')
}

// any leaves the value to encoding/json.
func (e *encoder) any(key string, value any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil && e.err == nil {
		e.err = err
	}
	e.buf = append(append(e.buf, key...), bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// isPlain tells whether s stands in JSON as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
