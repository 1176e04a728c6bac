package protocol

import (
	"regexp"
	"strconv"
	"strings"
)

// Format names who cooperates on a lock. It is the content of the root's marker.
type Format string

const (
	// Genlock is our own format, and the default.
	Genlock Format = "genlock-v3"
	// TTSC is the format of the ttsc compiler's plugin cache. A caller that
	// selects it contends with ttsc's own processes on the same bytes.
	TTSC Format = "ttsc-plugin-build-lock-v3"
)

// version is the protocol version that this module speaks.
const version = 3

var formatPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*-v([0-9]{1,4})$`)

// Validate tells whether an embedding tool may use f: lower-case words joined by
// dashes, ending in "-v3", at most 64 bytes.
func (f Format) Validate() error {
	_, v, ok := f.split()
	if !ok || v != version || len(f) > 64 {
		return &UsageError{What: "format " + strconv.Quote(string(f)),
			Why: "a format is lower-case words joined by dashes and ends in -v3, such as " + string(Genlock)}
	}
	return nil
}

// Foreign tells whether clients other than genlock speak the format: they judge
// by host name and pid, claim whenever they look, and use guards.
func (f Format) Foreign() bool { return f == TTSC }

// Marker is the exact content of the marker file.
func (f Format) Marker() []byte { return []byte(string(f) + "\n") }

// CheckMarker reads a root's marker. The error is a *FormatError: too new when it
// is a later version of the wanted format, else foreign. Nothing that fails
// here may be overwritten, renamed or deleted.
func CheckMarker(data []byte, want Format) error {
	if string(data) == string(want.Marker()) {
		return nil
	}
	found := printable(string(data))
	e := &FormatError{Found: found, Want: want}
	name, isLine := strings.CutSuffix(string(data), "\n")
	family, v, ok := Format(name).split()
	wantFamily, wantVersion, _ := want.split()
	e.TooNew = isLine && ok && family == wantFamily && v > wantVersion
	e.Valid = isLine && ok
	return e
}

func (f Format) split() (family string, v int, ok bool) {
	m := formatPattern.FindStringSubmatch(string(f))
	if m == nil {
		return "", 0, false
	}
	v, err := strconv.Atoi(m[2])
	if err != nil {
		return "", 0, false
	}
	return strings.TrimSuffix(string(f), "-v"+m[2]), v, true
}

// printable keeps a stranger's bytes from reaching a terminal as they are.
func printable(s string) string {
	s = strings.TrimRight(s, "\n")
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
