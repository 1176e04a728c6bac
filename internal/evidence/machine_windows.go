package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strconv"
	"unsafe"

	"genlock.dev/genlock/protocol"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// readSelf leaves BootedAt unknown: the time of boot moves with the clock here,
// and a restart proves a holder gone only where that was tried.
func readSelf() *Self {
	self := newSelf(os.Getpid())
	self.NoOpenFiles = true
	self.Hostname, _ = os.Hostname()
	guid := registryText(`SOFTWARE\Microsoft\Cryptography`, "MachineGuid")
	self.Machine = hashMachine(guid)
	self.Boot = bootID(guid)
	self.TimeNS = noNamespace
	// A container is told only of its own processes: there, that no process
	// has a number proves nothing.
	if !isContainer() {
		self.PIDNS, self.InitialPIDNS = noNamespace, true
	}
	self.Start = lookAt(self, self.PID).Start
	return self
}

// timeOfDay is SYSTEM_TIMEOFDAY_INFORMATION.
type timeOfDay struct {
	bootTime, currentTime, timeZoneBias int64
	timeZoneID, reserved                uint32
	bootTimeBias, sleepTimeBias         uint64
}

// bootID is made of the machine and of the moment it was started, without the
// amount by which setting the clock moved that moment. Were the moment to move
// all the same, two processes would merely take their boots for different.
func bootID(guid string) string {
	var t timeOfDay
	err := windows.NtQuerySystemInformation(windows.SystemTimeOfDayInformation,
		unsafe.Pointer(&t), uint32(unsafe.Sizeof(t)), nil)
	if err != nil || t.bootTime == 0 || hashMachine(guid) == protocol.NoMachine {
		return ""
	}
	at := t.bootTime - int64(t.bootTimeBias)
	sum := sha256.Sum256([]byte("boot " + guid + " " + strconv.FormatInt(at, 10)))
	return hex.EncodeToString(sum[:])[:len(protocol.NoBoot)]
}

func registryText(path, name string) string {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, path, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return ""
	}
	defer k.Close()
	s, _, err := k.GetStringValue(name)
	if err != nil {
		return ""
	}
	return s
}

// isContainer errs on the side of yes.
func isContainer() bool {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, `SYSTEM\CurrentControlSet\Control`,
		registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return true
	}
	defer k.Close()
	_, _, err = k.GetValue("ContainerType", nil)
	return !errors.Is(err, registry.ErrNotExist)
}

// lookAt opens the process. A process that ended stays while anybody has a handle
// of it, and is signalled: that is a zombie.
func lookAt(_ *Self, pid int) ProcessInfo {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE,
		false, uint32(pid))
	switch {
	case errors.Is(err, windows.ERROR_INVALID_PARAMETER):
		return ProcessInfo{State: Absent}
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return unknown(sayHidden)
	case err != nil:
		return unknown(sayBadAnswer, err)
	}
	defer windows.CloseHandle(h)
	// The system rounds numbers down to a multiple of four.
	if id, err := windows.GetProcessId(h); err != nil || id != uint32(pid) {
		return unknown(sayHidden)
	}
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &ended, &kernel, &user); err != nil {
		return unknown(sayBadAnswer, err)
	}
	info := ProcessInfo{State: Running,
		Start: number(uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime))}
	if event, err := windows.WaitForSingleObject(h, 0); err == nil && event == windows.WAIT_OBJECT_0 {
		info.State = Dead
	}
	return info
}

// anywhere knows nothing: Linux programs under this system share its host name
// and files, not its pids.
func anywhere(*Self, int) (exists, known bool) { return false, false }
