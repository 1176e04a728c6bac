package watch

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// alarm is timerAlarm by a timer of the kernel's. When one of the runtime's timers ends
// in a process that sleeps, three of its threads wake up; here it is one, and ring runs
// in it. That matters where many processes wait for long.
func alarm(next func() time.Duration, ring func() (again bool)) (stop func()) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return timerAlarm(next, ring)
	}
	f := os.NewFile(uintptr(fd), "timerfd")
	conn, err := f.SyscallConn()
	if err == nil {
		err = f.SetReadDeadline(time.Time{}) // can it be waited for?
	}
	if err == nil {
		err = unix.TimerfdSettime(fd, 0, new(unix.ItimerSpec), nil) // and be set?
	}
	if err != nil {
		f.Close()
		return timerAlarm(next, ring)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		begun := false
		// The first call is no alarm. What goes off before it would be forgotten.
		conn.Read(func(uintptr) (over bool) {
			for !begun || ring() {
				begun = true
				d := next()
				if wind(fd, d) == nil {
					return false
				}
				time.Sleep(d)
			}
			return true
		})
	}()
	return func() {
		f.Close()
		<-done
	}
}

// wind makes the timer go off once, after d. It never blocks, and so does not announce
// itself to the runtime, which would wake another thread to watch over it.
func wind(fd int, d time.Duration) error {
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	_, _, errno := syscall.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(fd), 0, uintptr(unsafe.Pointer(&at)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
