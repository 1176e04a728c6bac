//go:build unix && !aix

package main

import (
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// digits takes the number out of forms such as "pid:[4026531836]".
func digits(s text) text {
	return text(strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, string(s)))
}

// procStat returns state and start time of a process, or nothing.
func procStat(pid int64) (state, start string) {
	b, err := os.ReadFile("/proc/" + strconv.FormatInt(pid, 10) + "/stat")
	if err != nil {
		return "", ""
	}
	// The command's name may contain anything; what follows the last
	// parenthesis is plain. State is field 3, the start time field 22.
	_, rest, _ := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
	f := strings.Fields(rest)
	if len(f) < 20 {
		return "", ""
	}
	return f[0], f[19]
}

// holderRecord reads the record of the generation that was looked at.
func holderRecord(v *view) *record {
	b, err := readAt(v.fd, "owner.json")
	if err != nil {
		return nil
	}
	r, err := parseRecord(b)
	if err != nil || r.Generation != v.generation {
		return nil
	}
	return r
}

// pidIsGone is the foreign verdict: same host, no such process.
func (p *peer) pidIsGone(v *view) bool {
	r := holderRecord(v)
	return r != nil && strings.EqualFold(r.Hostname, p.bareHost) && errors.Is(unix.Kill(int(r.PID), 0), unix.ESRCH)
}

// looksGone is the careful verdict. Either the generation is complete, or the
// witness is free and the process is gone as well. Everything else, and
// everything that cannot be read, is no ground for a reclaim.
func (p *peer) looksGone(v *view) bool {
	r := holderRecord(v)
	if r == nil || r.Process == nil {
		return false
	}
	if nonce, err := readTrimmed(v.fd, "task-complete"); err == nil {
		return nonce != "" && nonce == r.CompletionNonce
	}
	return p.sameKernel(r.Process) && witnessIsFree(v, r.Process) && processIsGone(r)
}

// sameKernel says whether a pid in the record means the same to us.
func (p *peer) sameKernel(h *process) bool {
	return strings.Trim(string(h.Boot), "0") != "" && h.Boot == p.self.Boot &&
		h.PIDNS != "" && digits(h.PIDNS) == p.self.PIDNS && digits(h.TimeNS) == p.self.TimeNS
}

// witnessIsFree probes with a shared lock on a read-only descriptor, so that
// probes do not take each other for the holder.
func witnessIsFree(v *view, h *process) bool {
	if h.Witness != "flock" || !isHex(string(h.Machine), 16) || !isHex(string(h.Boot), 32) {
		return false
	}
	fd, err := openAt(v.fd, witnessName(v.generation, string(h.Machine), string(h.Boot)))
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	at, err := identify(fd)
	if err != nil || number(at.dev) != h.Dev || number(at.ino) != h.Ino {
		return false // another file than the one the holder locked
	}
	return unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB) == nil
}

// processIsGone tells a dead process, also when its number was given away
// again or nobody has waited for it yet.
func processIsGone(r *record) bool {
	err := unix.Kill(int(r.PID), 0)
	if errors.Is(err, unix.ESRCH) {
		return true
	}
	state, start := procStat(r.PID)
	if state == "" {
		return false
	}
	if h := r.Process.Start; h != "" && digits(h) == h && string(h) != start {
		return true
	}
	tasks, err := os.ReadDir("/proc/" + strconv.FormatInt(r.PID, 10) + "/task")
	return state == "Z" && err == nil && len(tasks) == 1
}

// unguarded reads the guards of the ttsc format, after the claim. One that
// binds us means waiting while its command may still run, and an error when
// nobody knows.
func (p *peer) unguarded(generation string) (bool, error) {
	if p.format != formatTTSC {
		return true, nil
	}
	dir := p.root + "/.ttsc-native-retirements/"
	entries, err := os.ReadDir(dir)
	if isAbsent(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		var g struct{ State, Generation, Reason string }
		b, err := os.ReadFile(dir + e.Name())
		if isAbsent(err) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(b, &g)
		}
		switch {
		case err != nil:
			return false, fatalf("quarantined by %s: %v", dir+e.Name(), err)
		case g.Generation != "" && g.Generation != generation:
		case g.State == "pending":
			return false, nil
		default:
			return false, fatalf("quarantined by %s: %s", dir+e.Name(), g.Reason)
		}
	}
	return true, nil
}
