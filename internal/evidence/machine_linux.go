package evidence

import (
	"os"
	"strings"
	"time"

	"genlock.dev/genlock/protocol"
	"golang.org/x/sys/unix"
)

// Inode numbers of the first namespaces. The kernel fixes them; all others get
// numbers from 0xF0000000 on. Looking at NSpid instead would not do: in a
// container with a /proc of its own it has one entry as well.
const (
	initialPIDNS  = "4026531836" // 0xEFFFFFFC
	initialTimeNS = "4026531834" // 0xEFFFFFFA
)

var realProc = newProcfs("/proc")

func lookAt(_ *Self, pid int) ProcessInfo { return realProc.process(pid) }

func anywhere(self *Self, pid int) (exists, known bool) {
	if !self.InitialPIDNS {
		return false, false
	}
	return realProc.anywhere(pid)
}

func readSelf() *Self {
	self := newSelf(os.Getpid())
	realProc.describe(self)
	self.Machine = machineID("/etc/machine-id", "/var/lib/dbus/machine-id")
	var uts unix.Utsname
	if unix.Uname(&uts) == nil {
		self.Hostname = unix.ByteSliceToString(uts.Nodename[:])
	}
	// In a time namespace of its own a process sees another boot time, which
	// must not make a generation look older than the boot.
	var up unix.Timespec
	if inFirstTime(self.TimeNS) && unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) == nil {
		self.BootedAt = time.Now().Add(-time.Duration(up.Nano())).Round(0)
	}
	return self
}

func inFirstTime(ns protocol.Number) bool { return ns == initialTimeNS || ns == noNamespace }

// machineID reads the first usable id. Images carry "uninitialized" or an empty
// file until their first start: that is none.
func machineID(paths ...string) string {
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if id := strings.TrimSpace(string(data)); plainUUID(id) != "" {
			return hashMachine(id)
		}
	}
	return protocol.NoMachine
}
