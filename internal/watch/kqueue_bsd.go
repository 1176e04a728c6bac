//go:build darwin || freebsd

package watch

import (
	"sync"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock/internal/vfs"
)

// watchMoves is told when the directory moves or something in it changes.
func watchMoves(dir vfs.Dir) (*source, error) {
	// A descriptor of its own: closing one ends what is watched through it.
	fd, err := duplicate(dir.(vfs.OSFile).Descriptor())
	if err != nil {
		return nil, err
	}
	return watchEvent(fd, fd, unix.EVFILT_VNODE, unix.NOTE_RENAME|unix.NOTE_DELETE|unix.NOTE_WRITE)
}

// watchExit is told when process pid ends.
func watchExit(pid int) (*source, error) {
	return watchEvent(-1, pid, unix.EVFILT_PROC, unix.NOTE_EXIT)
}

// watchEvent waits for one event in a thread, which ends with the source. own is
// a descriptor to close afterwards, or -1.
func watchEvent(own, ident, filter int, notes uint32) (_ *source, err error) {
	k := &kqueue{fd: -1, own: own}
	defer func() {
		if err != nil {
			k.close()
		}
	}()
	if !threads.take() {
		return nil, unix.EAGAIN
	}
	k.thread = true
	if k.fd, err = unix.Kqueue(); err != nil {
		return nil, err
	}
	unix.CloseOnExec(k.fd)
	var changes [2]unix.Kevent_t
	unix.SetKevent(&changes[0], ident, filter, unix.EV_ADD|unix.EV_ONESHOT)
	changes[0].Fflags = notes
	unix.SetKevent(&changes[1], 0, unix.EVFILT_USER, unix.EV_ADD|unix.EV_ONESHOT)
	if _, err = unix.Kevent(k.fd, changes[:], nil, nil); err != nil {
		return nil, err
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		k.wait()
	}()
	return &source{told, k.wake}, nil
}

// kqueue is one queue with one event to wait for, and one to end the wait.
type kqueue struct {
	mu      sync.Mutex
	fd, own int
	thread  bool
}

func (k *kqueue) wait() {
	var event [1]unix.Kevent_t
	for {
		if _, err := unix.Kevent(k.fd, nil, event[:], nil); err != unix.EINTR {
			break
		}
	}
	k.close()
}

// wake ends the wait, if it has not ended: the number may be another file then.
func (k *kqueue) wake() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fd < 0 {
		return
	}
	var change [1]unix.Kevent_t
	unix.SetKevent(&change[0], 0, unix.EVFILT_USER, 0)
	change[0].Fflags = unix.NOTE_TRIGGER
	unix.Kevent(k.fd, change[:], nil, nil)
}

func (k *kqueue) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, fd := range []int{k.fd, k.own} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	k.fd, k.own = -1, -1
	if k.thread {
		threads.give()
		k.thread = false
	}
}
