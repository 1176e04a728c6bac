package watch

import (
	"encoding/binary"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock/internal/vfs"
)

// notices are what says that a generation may not be held any more: it moved, it
// was deleted, or something was renamed into it, as task-complete is.
const notices = unix.IN_MOVE_SELF | unix.IN_DELETE_SELF | unix.IN_MOVED_TO

// idle is how long an inotify instance is kept that nobody uses. There are few of
// them for each user (128 by default), so only heads of lines should have one. But
// closing one takes the kernel about 10 ms, so it should not be closed each turn.
const idle = 20 * time.Millisecond

// listener is an inotify instance, shared by all waiters of this process.
type listener struct {
	fd    int
	file  *os.File // fd, by the runtime's poller
	idle  *time.Timer
	users map[int]chan struct{} // by watch descriptor
}

// ear is the listener in use; nil when nobody watches.
var ear struct {
	sync.Mutex
	*listener
}

// inotifyInit is replaced by tests, for a system that has no more instances.
var inotifyInit = unix.InotifyInit1

// watchMoves is told when the directory moves or may be finished.
func watchMoves(dir vfs.Dir) (*source, error) {
	ear.Lock()
	defer ear.Unlock()
	if ear.listener == nil {
		l, err := newListener()
		if err != nil {
			return nil, err
		}
		ear.listener = l
	}
	l := ear.listener
	// By its descriptor: a path could lead to another directory already. With
	// IN_MASK_CREATE a second watch on the same directory fails.
	wd, err := unix.InotifyAddWatch(l.fd, "/proc/self/fd/"+strconv.Itoa(int(dir.(vfs.OSFile).Descriptor())),
		notices|unix.IN_ONESHOT|unix.IN_MASK_CREATE)
	if err != nil {
		l.rest()
		return nil, err
	}
	told := make(chan struct{})
	l.users[wd] = told
	return &source{told, func() { l.forget(wd, told) }}, nil
}

func newListener() (*listener, error) {
	fd, err := inotifyInit(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	l := &listener{fd: fd, file: os.NewFile(uintptr(fd), "inotify"), users: make(map[int]chan struct{})}
	l.idle = time.AfterFunc(idle, l.closeIdle)
	go l.listen()
	return l, nil
}

// listen passes notices on until the file is closed.
func (l *listener) listen() {
	var buf [4096]byte
	for {
		n, err := l.file.Read(buf[:])
		if err != nil {
			return
		}
		ear.Lock()
		for b := buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
			l.tell(int(int32(binary.NativeEndian.Uint32(b))))
			b = b[unix.SizeofInotifyEvent+binary.NativeEndian.Uint32(b[12:]):]
		}
		ear.Unlock()
	}
}

// tell wakes the user of a watch, which fires once; all users if notices were lost.
func (l *listener) tell(wd int) {
	for user, told := range l.users {
		if user == wd || wd < 0 {
			close(told)
			delete(l.users, user)
		}
	}
	l.rest()
}

// forget ends a watch that nobody waits for any more.
func (l *listener) forget(wd int, told chan struct{}) {
	ear.Lock()
	defer ear.Unlock()
	if l.users[wd] == told {
		unix.InotifyRmWatch(l.fd, uint32(wd))
		delete(l.users, wd)
		l.rest()
	}
}

func (l *listener) rest() {
	if len(l.users) == 0 {
		l.idle.Reset(idle)
	}
}

func (l *listener) closeIdle() {
	ear.Lock()
	unused := len(l.users) == 0 && ear.listener == l
	if unused {
		ear.listener = nil
	}
	ear.Unlock()
	if unused {
		l.file.Close()
	}
}
