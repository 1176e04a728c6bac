//go:build unix && !aix

package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"strings"
)

// initialPIDNS is the number of the first PID namespace of a Linux kernel.
const initialPIDNS = "4026531836"

// identifySelf reads what our records say about this process.
func (p *peer) identifySelf() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	p.bareHost, p.hostname = host, host
	if !p.careful {
		return nil
	}
	s := &p.self
	s.Machine, s.Boot = text(strings.Repeat("0", 16)), text(strings.Repeat("0", 32))
	if b, err := os.ReadFile("/etc/machine-id"); err == nil {
		if id := strings.TrimSpace(string(b)); id != "" {
			sum := sha256.Sum256([]byte(id))
			s.Machine = text(hex.EncodeToString(sum[:])[:16])
		}
	}
	if b, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		s.Boot = text(strings.ReplaceAll(strings.TrimSpace(string(b)), "-", ""))
	}
	s.PIDNS, s.TimeNS = namespace("pid"), namespace("time")
	_, start := procStat(p.pid)
	s.Start = text(start)
	var random [16]byte
	rand.Read(random[:])
	s.Instance, s.Witness = text(hex.EncodeToString(random[:])), "flock"
	if p.format == formatTTSC && runtime.GOOS == "linux" && s.PIDNS != initialPIDNS {
		// The other readers of this format judge by host name and pid. They
		// must not judge a pid that they cannot see.
		p.hostname = host + "/pidns:" + string(s.PIDNS)
	}
	return nil
}

// namespace returns the number of one of our namespaces, or nothing.
func namespace(kind string) text {
	link, err := os.Readlink("/proc/self/ns/" + kind)
	if err != nil {
		return ""
	}
	return digits(text(link))
}
