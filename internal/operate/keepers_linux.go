package operate

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// keepers finds the processes that keep the witness of a generation locked, among
// those that we may look into.
func keepers(id protocol.ID) (found []string) {
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range procs {
		if keeps(proc, id) {
			found = append(found, processText(proc))
		}
	}
	return found
}

// keeps goes by the witness's name, since a process in a mount namespace of its own
// sees another path, and by the lock on the open file: who only looks has none.
func keeps(proc string, id protocol.ID) bool {
	fds, _ := os.ReadDir(proc + "/fd")
	for _, fd := range fds {
		target, err := os.Readlink(proc + "/fd/" + fd.Name())
		if err != nil {
			continue
		}
		w, ok := protocol.ParseWitness(filepath.Base(target))
		if !ok || w.Of != id {
			continue
		}
		info, err := os.ReadFile(proc + "/fdinfo/" + fd.Name())
		if err == nil && bytes.Contains(info, []byte("FLOCK")) && bytes.Contains(info, []byte("WRITE")) {
			return true
		}
	}
	return false
}

func processText(proc string) string {
	s := "pid " + filepath.Base(proc)
	if line, err := os.ReadFile(proc + "/cmdline"); err == nil && len(line) > 0 {
		argv := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		s += " (" + observer.Command(argv) + ")"
	}
	return s
}
