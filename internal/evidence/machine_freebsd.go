package evidence

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"strconv"
	"time"
	"unsafe"

	"genlock.dev/genlock/protocol"
	"golang.org/x/sys/unix"
)

// Where struct kinfo_proc of 64-bit systems holds what is needed (sys/user.h).
// Another size means another layout, of which nothing is believed.
const (
	kinfoSize  = 1088
	kinfoPID   = 72
	kinfoStart = 336 // struct timeval
	kinfoState = 388
)

// States of a process (sys/proc.h).
const (
	statStopped = 4
	statZombie  = 5
)

func readSelf() *Self {
	self := newSelf(os.Getpid())
	// Pids are numbered once for all jails, but a jail sees only its own:
	// inside one, absence proves nothing.
	if jailed, err := unix.SysctlUint32("security.jail.jailed"); err == nil && jailed == 0 {
		self.PIDNS, self.InitialPIDNS = noNamespace, true
	}
	self.TimeNS = noNamespace
	self.Hostname, _ = os.Hostname()
	if id, err := unix.SysctlRaw("kern.boot_id"); err == nil && len(id) == 16 {
		self.Boot = plainUUID(hex.EncodeToString(id))
	}
	if id, err := unix.Sysctl("kern.hostuuid"); err == nil {
		self.Machine = hashMachine(id)
	}
	if t, err := unix.SysctlTimeval("kern.boottime"); err == nil {
		self.BootedAt = time.Unix(t.Unix())
	}
	self.Start = lookAt(self, self.PID).Start
	return self
}

func lookAt(self *Self, pid int) ProcessInfo {
	if info, settled := ask(signalZero, pid); settled {
		if info.State == Absent && !seesAll(self) {
			return unknown(sayNotAllowed)
		}
		return info
	}
	info, ok := kinfo(pid)
	if ok {
		return info
	}
	if again, settled := ask(signalZero, pid); settled && seesAll(self) {
		return again
	}
	return unknown(sayHidden)
}

// kinfo reads one process. The kernel adds the time of boot to its start, and
// moves both when the clock is set: only the difference stays the same.
func kinfo(pid int) (ProcessInfo, bool) {
	before, err := unix.SysctlTimeval("kern.boottime")
	if err != nil || unsafe.Sizeof(uintptr(0)) != 8 {
		return ProcessInfo{}, false
	}
	raw, err := unix.SysctlRaw("kern.proc.pid", pid)
	if err != nil || len(raw) != kinfoSize || binary.NativeEndian.Uint32(raw) != kinfoSize ||
		binary.NativeEndian.Uint32(raw[kinfoPID:]) != uint32(pid) {
		return ProcessInfo{}, false
	}
	after, err := unix.SysctlTimeval("kern.boottime")
	if err != nil || *before != *after {
		return ProcessInfo{}, false
	}
	sec := int64(binary.NativeEndian.Uint64(raw[kinfoStart:])) - int64(before.Sec)
	usec := int64(binary.NativeEndian.Uint64(raw[kinfoStart+8:])) - int64(before.Usec)
	info := ProcessInfo{State: Running}
	if at := sec*1e6 + usec; at >= 0 {
		info.Start = protocol.Number(strconv.FormatInt(at, 10))
	}
	switch raw[kinfoState] {
	case statZombie:
		info.State = Dead
	case statStopped:
		info.State = Stopped
	}
	return info, true
}

// seesAll tells whether "no such process" means that and not "none that you may
// see": to others than root the system may hide whole users and groups so.
func seesAll(self *Self) bool {
	if !self.InitialPIDNS {
		return false
	}
	if os.Geteuid() == 0 {
		return true
	}
	for _, name := range []string{"security.bsd.see_other_uids", "security.bsd.see_other_gids"} {
		if v, err := unix.SysctlUint32(name); err != nil || v != 1 {
			return false
		}
	}
	return true
}

// anywhere knows nothing: the rung for old records was never tried here.
func anywhere(*Self, int) (exists, known bool) { return false, false }
