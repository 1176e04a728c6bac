//go:build unix

package vfs

import (
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// osFile is a descriptor of its own, not an *os.File: the hot path makes three
// files per turn, and the runtime's poller and finalizers have no part in it.
type osFile struct {
	fd        int
	dir, name string
}

func (d *osDir) Open(name string, how OpenFlag, mode fs.FileMode) (File, error) {
	// O_NONBLOCK so that a fifo planted in a record's place cannot hang us;
	// regular files do not know it.
	flags := unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY
	switch how {
	case Read:
		flags |= unix.O_RDONLY
	case ReadWrite:
		flags |= unix.O_RDWR
	case Create:
		flags |= unix.O_RDWR | unix.O_CREAT | unix.O_EXCL
	case Truncate:
		flags |= unix.O_RDWR | unix.O_TRUNC
	}
	fd, err := openAt(d.fd, name, flags, uint32(mode.Perm()))
	if err != nil {
		return nil, nameError("open", d.path, name, err)
	}
	return &osFile{fd: fd, dir: d.path, name: name}, nil
}

func (f *osFile) error(op string, err error) error { return nameError(op, f.dir, f.name, err) }

func (f *osFile) Descriptor() uintptr { return uintptr(f.fd) }

func (f *osFile) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := 0
	err := ignoringEINTR(func() (err error) {
		n, err = unix.Read(f.fd, p)
		return err
	})
	if err != nil {
		return 0, f.error("read", err)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (f *osFile) Write(p []byte) (int, error) {
	return f.write(p, func(p []byte, _ int) (int, error) { return unix.Write(f.fd, p) })
}

func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
	return f.write(p, func(p []byte, done int) (int, error) { return unix.Pwrite(f.fd, p, off+int64(done)) })
}

// write calls some with what is left of p until nothing is.
func (f *osFile) write(p []byte, some func(p []byte, done int) (int, error)) (int, error) {
	done := 0
	for done < len(p) {
		n := 0
		err := ignoringEINTR(func() (err error) {
			n, err = some(p[done:], done)
			return err
		})
		if err != nil {
			return done, f.error("write", err)
		}
		if n == 0 {
			return done, f.error("write", io.ErrShortWrite)
		}
		done += n
	}
	return done, nil
}

func (f *osFile) Stat() (Info, error) {
	info, err := statFD(f.fd)
	return info, f.error("stat", err)
}

func (f *osFile) Chmod(mode fs.FileMode) error {
	return f.error("chmod", unix.Fchmod(f.fd, rawMode(mode)))
}

func (f *osFile) Flock(how LockMode) error {
	op := unix.LOCK_SH
	if how == Exclusive {
		op = unix.LOCK_EX
	}
	err := ignoringEINTR(func() error { return unix.Flock(f.fd, op|unix.LOCK_NB) })
	return f.error("flock", err)
}

func (f *osFile) Sync() error { return f.error("sync", unix.Fsync(f.fd)) }

func (f *osFile) Close() error { return f.error("close", unix.Close(f.fd)) }
