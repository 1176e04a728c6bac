package protocol

import (
	"strconv"
	"strings"
)

// FormatIn is the format of this version to open a root with whose marker is data:
// of whatever family the marker names, so that a tool which looks at everything
// needs not be told. A marker of another version still gives this version, and
// CheckMarker then says which of the two is newer. No format at all gives Genlock.
func FormatIn(data []byte) Format {
	line, ok := strings.CutSuffix(string(data), "\n")
	family, _, valid := Format(line).split()
	f := Format(family + "-v" + strconv.Itoa(version))
	if !ok || !valid || f.Validate() != nil {
		return Genlock
	}
	return f
}
