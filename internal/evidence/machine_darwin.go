package evidence

import (
	"encoding/hex"
	"os"
	"strconv"
	"time"
	"unsafe"

	"genlock.dev/genlock/protocol"
	"golang.org/x/sys/unix"
)

// States of a process in sysctl's answer (sys/proc.h).
const (
	statStopped = 4
	statZombie  = 5
)

func readSelf() *Self {
	self := newSelf(os.Getpid())
	// There is one PID namespace and one time for all processes.
	self.PIDNS, self.TimeNS, self.InitialPIDNS = noNamespace, noNamespace, true
	self.Hostname, _ = os.Hostname()
	if id, err := unix.Sysctl("kern.bootsessionuuid"); err == nil {
		self.Boot = plainUUID(id)
	}
	if t, err := unix.SysctlTimeval("kern.boottime"); err == nil {
		self.BootedAt = time.Unix(t.Unix())
	}
	self.Machine = hashMachine(hostUUID())
	self.Start = lookAt(self, self.PID).Start
	return self
}

// hostUUID is gethostuuid(2), the id of the hardware; empty when refused.
func hostUUID() string {
	var id [16]byte
	wait := unix.Timespec{Sec: 1}
	_, _, errno := unix.Syscall(unix.SYS_GETHOSTUUID,
		uintptr(unsafe.Pointer(&id)), uintptr(unsafe.Pointer(&wait)), 0)
	if errno != 0 {
		return ""
	}
	return hex.EncodeToString(id[:])
}

func lookAt(_ *Self, pid int) ProcessInfo {
	if info, settled := ask(signalZero, pid); settled {
		return info
	}
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		if info, settled := ask(signalZero, pid); settled {
			return info
		}
		return unknown(sayHidden)
	}
	t := k.Proc.P_starttime
	info := ProcessInfo{State: Running,
		Start: protocol.Number(strconv.FormatInt(t.Sec*1e6+int64(t.Usec), 10))}
	switch k.Proc.P_stat {
	case statZombie:
		info.State = Dead
	case statStopped:
		info.State = Stopped
	}
	return info
}

// anywhere knows nothing: a guest of this machine, whose pids are not ours, may
// share its directories.
func anywhere(*Self, int) (exists, known bool) { return false, false }
