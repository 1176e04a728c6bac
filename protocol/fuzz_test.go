package protocol_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"genlock.dev/genlock/protocol"
)

// What these find is kept in testdata/fuzz, next to the seeds.

// FuzzParseID: 32 lower-case hex digits, and nothing else.
func FuzzParseID(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := protocol.ParseID(s)
		want := len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
		if ok != want || ok && string(id) != s || !ok && id != "" {
			t.Errorf("ParseID(%q) = %q, %t", s, id, ok)
		}
		if made, isTime := id.Time(); isTime && made.UnixMilli() < 0 {
			t.Errorf("%q was made at %v", s, made)
		}
		read, ok := protocol.ParseIDFile([]byte(s))
		if !ok {
			return
		}
		if again, ok := protocol.ParseIDFile(read.Line()); !ok || again != read {
			t.Errorf("ParseIDFile(%q) = %q, and its line reads %q", s, read, again)
		}
	})
}

// FuzzCheckMarker: only the exact bytes are right; whatever else is there is named
// in a way that a terminal can bear.
func FuzzCheckMarker(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte, format string) {
		want := protocol.Format(format)
		err := protocol.CheckMarker(data, want)
		if (err == nil) != bytes.Equal(data, want.Marker()) {
			t.Fatalf("%q for %q: %v", data, want, err)
		}
		if err == nil {
			return
		}
		var wrong *protocol.FormatError
		if !errors.As(err, &wrong) || errors.Is(err, protocol.ErrTooNew) == errors.Is(err, protocol.ErrFormat) {
			t.Errorf("%q for %q: %#v", data, want, err)
		}
		if wrong.TooNew && !wrong.Valid {
			t.Errorf("%q is too new and no format", data)
		}
		if wrong != nil && strings.ContainsFunc(wrong.Found, isControl) {
			t.Errorf("%q is not fit to print", wrong.Found)
		}
		_ = want.Validate()
	})
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// FuzzParseRecord: what is accepted encodes canonically: reading it again gives
// the same bytes.
func FuzzParseRecord(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := protocol.ParseRecord(data)
		if err != nil {
			if !errors.Is(err, protocol.ErrUnusable) || r != nil {
				t.Errorf("%v, %v", r, err)
			}
			return
		}
		if protocol.CheckPID(r.PID) != nil || r.Hostname == "" {
			t.Errorf("accepted %+v", r)
		}
		first := encode(t, r.Encode)
		again, err := protocol.ParseRecord(first)
		if err != nil {
			t.Fatalf("%s does not read again: %v", first, err)
		}
		if second := encode(t, again.Encode); !bytes.Equal(first, second) {
			t.Errorf("not canonical:\n%s%s", first, second)
		}
		if r.Ours() != again.Ours() {
			t.Error("it was ours once")
		}
		r.Started()
	})
}

// FuzzParseLast: as FuzzParseRecord.
func FuzzParseLast(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		l, ok := protocol.ParseLast(data)
		if !ok {
			return
		}
		first := encode(t, l.Encode)
		again, ok := protocol.ParseLast(first)
		if !ok {
			t.Fatalf("%s does not read again", first)
		}
		if second := encode(t, again.Encode); !bytes.Equal(first, second) {
			t.Errorf("not canonical:\n%s%s", first, second)
		}
	})
}

// FuzzParseGuard: as FuzzParseRecord, and the name is that of the tokens.
func FuzzParseGuard(f *testing.F) {
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		g, err := protocol.ParseGuard(name, data)
		if err != nil {
			return
		}
		if g.Name() != name || !protocol.IsGuardName(name) {
			t.Errorf("accepted %q, which is %q", name, g.Name())
		}
		first := encode(t, g.Encode)
		again, err := protocol.ParseGuard(name, first)
		if err != nil {
			t.Fatalf("%s does not read again: %v", first, err)
		}
		if second := encode(t, again.Encode); !bytes.Equal(first, second) || g.Ours() != again.Ours() {
			t.Errorf("not canonical:\n%s%s", first, second)
		}
	})
}

// FuzzNames: a name that is understood is the name that would be made.
func FuzzNames(f *testing.F) {
	f.Fuzz(func(t *testing.T, name, base string) {
		made := map[string]string{}
		if id, ok := protocol.ParseCandidateName(name); ok {
			made["candidate"] = protocol.CandidateName(id)
		}
		if claim, generation, ok := protocol.ParseClaimCandidateName(name); ok {
			made["claim"] = protocol.ClaimCandidateName(claim, generation)
		}
		if of, id, ok := protocol.ParseRootCandidateName(name); ok {
			made["root"] = protocol.RootCandidateName(of, id)
		}
		if id, ok := protocol.ParseBesideName(name, base); ok {
			made["beside"] = protocol.BesideName(base, id)
		}
		if w, ok := protocol.ParseWitness(name); ok {
			made["witness"] = w.Name()
		}
		for what, again := range made {
			if again != name {
				t.Errorf("%q reads as a %s, which is written %q", name, what, again)
			}
		}
		if protocol.CheckLockPath(base) == nil && len(protocol.RootCandidateName(lastElement(base), protocol.NoBoot)) > 255 {
			t.Errorf("%q has no room for its helper names", base)
		}
	})
}

func lastElement(path string) string { return path[strings.LastIndex(path, "/")+1:] }

func encode(t *testing.T, f func() ([]byte, error)) []byte {
	t.Helper()
	data, err := f()
	if err != nil {
		t.Fatalf("what was read cannot be written: %v", err)
	}
	return data
}
