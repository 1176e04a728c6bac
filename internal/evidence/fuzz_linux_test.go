package evidence

import (
	"fmt"
	"strconv"
	"testing"
)

// Both parsers read what the kernel wrote, with a name in it that the process
// itself chose.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"a", "a b", ") Z 1", "((", "\n", "State:\tZ"} {
		f.Add(fmt.Appendf(nil, statLine, 7, name, "S", 1, 42))
		f.Add(fmt.Appendf(nil, "Name:\t%s\nState:\tS (sleeping)\nNSpid:\t900\t7\nThreads:\t3\n", name))
	}
	f.Add([]byte(nil))
	f.Add([]byte("7 (a"))
	f.Add([]byte("NSpid:\nState:\nThreads:\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if st, ok := parseStat(data); ok {
			if _, err := strconv.ParseUint(string(st.start), 10, 64); err != nil {
				t.Errorf("start %q", st.start)
			}
			if s := st.state(); s == Unknown || s == Absent {
				t.Errorf("%q is %v", st.code, s)
			}
		}
		if st, ok := parseStatus(data); ok && len(st.nspid) == 0 {
			t.Error("no number")
		}
	})
}
