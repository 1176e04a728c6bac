package main

import (
	"bytes"
	"fmt"
	"os"

	"genlock.dev/genlock/observer"
)

// startedUs tells whether the holder is one of our parents, which a command that
// lost its environment cannot know otherwise. It only advises.
func startedUs(h *observer.Holder) bool {
	if host, err := os.Hostname(); err != nil || host != h.Hostname {
		return false
	}
	for pid, depth := os.Getppid(), 0; pid > 1 && depth < 100; depth++ {
		if pid == h.PID {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		end := bytes.LastIndexByte(stat, ')')
		var state string
		if err != nil || end < 0 {
			return false
		}
		if n, err := fmt.Sscan(string(stat[end+1:]), &state, &pid); n != 2 || err != nil {
			return false
		}
	}
	return false
}
