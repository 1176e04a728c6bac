//go:build unix

package main

import (
	"io"

	"golang.org/x/sys/unix"
)

// goInside enters the critical section, which knows nothing of genlock: an OS lock on
// a file of chaos. Nobody waits for it; who finds somebody inside notes that.
func (w *worker) goInside(k *key, gen string) (out func()) {
	f := w.sections[k.Name]
	if err := flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		at := now()
		other := make([]byte, 64)
		n, rerr := f.ReadAt(other, 0)
		if rerr != nil && rerr != io.EOF {
			n = 0
		}
		w.say(event{What: inside, At: at, Key: k.Name, Gen: gen, Other: string(other[:n]), Old: w.Role == "old"})
		return func() {}
	}
	f.Truncate(0)
	f.WriteAt([]byte(gen), 0)
	return func() {
		f.Truncate(0)
		flock(int(f.Fd()), unix.LOCK_UN)
	}
}

func flock(fd, how int) error {
	for {
		if err := unix.Flock(fd, how); err != unix.EINTR {
			return err
		}
	}
}
