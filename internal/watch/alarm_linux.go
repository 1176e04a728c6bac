package watch

import (
	"os"
	"time"

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
		err = wind(fd, next())
	}
	if err != nil {
		f.Close()
		return timerAlarm(next, ring)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		begun := false
		conn.Read(func(uintptr) (over bool) {
			if !begun {
				begun = true
				return false
			}
			for ring() {
				if wind(fd, next()) == nil {
					return false
				}
			}
			return true
		})
	}()
	return func() {
		f.Close()
		<-done
	}
}

// wind makes the timer go off once, after d.
func wind(fd int, d time.Duration) error {
	return unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}, nil)
}
