package evidence

import (
	"bytes"
	"strconv"
	"strings"

	"genlock.dev/genlock/protocol"
)

// stat is what one line of /proc/<pid>/stat tells.
type stat struct {
	code    byte
	threads int
	start   protocol.Number
}

// parseStat reads the line. The second field is the program's name, which may
// hold spaces and parentheses: everything is counted from the last one.
func parseStat(data []byte) (stat, bool) {
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return stat{}, false
	}
	fields := strings.Fields(string(data[end+1:]))
	const third, threads, start = 3, 20, 22
	if len(fields) <= start-third || len(fields[0]) != 1 {
		return stat{}, false
	}
	n, err := strconv.Atoi(fields[threads-third])
	_, serr := strconv.ParseUint(fields[start-third], 10, 64)
	if err != nil || serr != nil {
		return stat{}, false
	}
	return stat{fields[0][0], n, protocol.Number(fields[start-third])}, true
}

// state maps the kernel's letter. A zombie counts as dead only without further
// threads: the first thread of a process may end before the others. A frozen
// cgroup does not show, and what is frozen goes on later.
func (s stat) state() State {
	switch s.code {
	case 'Z', 'X', 'x':
		if s.threads > 1 {
			return Running
		}
		return Dead
	case 'T', 't':
		return Stopped
	}
	return Running
}

// status is what /proc/<pid>/status tells.
type status struct {
	// nspid are the process's numbers, from the namespace /proc counts in to
	// its own.
	nspid []int
	dead  bool
}

func parseStatus(data []byte) (status, bool) {
	var st status
	zombie, threads := false, 0
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		switch key {
		case "State":
			zombie = strings.ContainsAny(fields[0], "ZXx")
		case "Threads":
			threads, _ = strconv.Atoi(fields[0])
		case "NSpid":
			for _, f := range fields {
				n, err := strconv.Atoi(f)
				if err != nil {
					return status{}, false
				}
				st.nspid = append(st.nspid, n)
			}
		}
	}
	st.dead = zombie && threads <= 1
	return st, len(st.nspid) > 0
}
