package watch

import (
	"os"

	"golang.org/x/sys/unix"
)

// watchExit is told when process pid of our PID namespace ends, or if it is a
// zombie. Should the number belong to another process by now, that is for the
// next look to find out.
func watchExit(pid int) (*source, error) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	conn, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return nil, err
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		conn.Read(exited) // until then, or until it is closed
	}()
	return &source{told, func() { f.Close() }}, nil
}

func exited(fd uintptr) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return n > 0 || (err != nil && err != unix.EINTR)
}
