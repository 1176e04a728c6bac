package watch

import (
	"sync"

	"genlock.dev/genlock/internal/vfs"
)

const (
	queueName   = "queue"
	currentName = "current"
)

// place is a place in the line for an OS lock of a file, or the lock itself.
//
// A thread that is blocked in flock cannot be woken: signals restart the call, and
// a descriptor that is closed meanwhile could be given out again right before such
// a restart. So a place that is given up stays in the line with its thread, which
// drops the lock the moment it is granted. Whoever comes to this process's place
// before that takes it over. Hence there is at most one such thread for each file.
type place struct {
	id      vfs.ID
	drop    func()        // closes the descriptor, and the lock goes
	granted chan struct{} // closed when the lock is ours, or refused

	// Guarded by blocked.
	wanted bool
	over   bool
	err    error
}

var blocked = struct {
	sync.Mutex
	at map[vfs.ID]*place
}{at: make(map[vfs.ID]*place)}

// ask lines up for the lock of the file name in dir; nil when that is not possible.
// first, if not nil, is called right before.
func ask(dir vfs.Dir, name string, how vfs.LockMode, first func()) *place {
	f, err := open(dir, name, how)
	if err != nil {
		return nil
	}
	info, err := f.Stat()
	if _, ok := f.(vfs.OSFile); err != nil || !ok || !info.IsRegular() {
		f.Close()
		return nil
	}
	p := &place{id: info.ID(), granted: make(chan struct{}), wanted: true}
	if adopted := adopt(p.id); adopted != nil {
		f.Close()
		return adopted
	}
	if first != nil {
		first()
	}
	err = f.Flock(how)
	if err == nil {
		p.over, p.drop = true, func() { f.Close() }
		close(p.granted)
		return p
	}
	defer f.Close()
	if !vfs.IsBusy(err) || !p.block(f.(vfs.OSFile), how) {
		return nil
	}
	return p
}

// open opens what is to be locked. NFS grants an exclusive lock only to a descriptor
// that could write; who may not write here has to try without.
func open(dir vfs.Dir, name string, how vfs.LockMode) (vfs.File, error) {
	if how == vfs.Exclusive {
		if f, err := dir.Open(name, vfs.ReadWrite, 0); err == nil {
			return f, nil
		}
	}
	return dir.Open(name, vfs.Read, 0)
}

// adopt returns the place that this process has in the line already, if nobody
// waits there any more.
func adopt(id vfs.ID) *place {
	blocked.Lock()
	defer blocked.Unlock()
	p := blocked.at[id]
	if p == nil || p.wanted {
		return nil
	}
	p.wanted = true
	return p
}

// block waits for the lock in a thread of its own, with a descriptor of its own. It
// reports false when that cannot be had, or another goroutine waits for this file.
func (p *place) block(f vfs.OSFile, how vfs.LockMode) bool {
	blocked.Lock()
	defer blocked.Unlock()
	if blocked.at[p.id] != nil || !threads.take() {
		return false
	}
	fd, err := duplicate(f.Descriptor())
	if err != nil {
		threads.give()
		return false
	}
	p.drop = func() { closeDescriptor(fd) }
	blocked.at[p.id] = p
	go func() {
		err := flock(fd, how)
		threads.give()
		if !p.settle(err) {
			p.drop()
		}
	}()
	return true
}

// settle ends the wait, and tells whether anybody still wants the lock.
func (p *place) settle(err error) (wanted bool) {
	blocked.Lock()
	defer blocked.Unlock()
	delete(blocked.at, p.id)
	p.over, p.err = true, err
	close(p.granted)
	return p.wanted
}

// told is closed when the lock was granted or refused.
func (p *place) told() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.granted
}

// ours tells whether the lock was granted.
func (p *place) ours() bool {
	if p == nil {
		return false
	}
	blocked.Lock()
	defer blocked.Unlock()
	return p.over && p.err == nil
}

// leave drops the lock, or gives up the place. It is called once.
func (p *place) leave() {
	if p.giveUp() {
		p.drop()
	}
}

// giveUp tells whether there is no thread any more that drops the lock.
func (p *place) giveUp() (over bool) {
	blocked.Lock()
	defer blocked.Unlock()
	p.wanted = false
	return p.over
}
