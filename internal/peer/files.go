//go:build unix && !aix

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// dirID tells one file or directory from every other one that exists.
type dirID struct{ dev, ino uint64 }

func identify(fd int) (dirID, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return dirID{}, err
	}
	return dirID{uint64(st.Dev), uint64(st.Ino)}, nil
}

// mkdir makes a directory with the mode that the root has: others who share
// the root must be able to retire what we make, whatever our umask is.
func (p *peer) mkdir(path string) error {
	if err := os.Mkdir(path, 0o777); err != nil {
		return err
	}
	return os.Chmod(path, fs.FileMode(p.mode))
}

func (p *peer) writeFile(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Chmod(fs.FileMode(p.mode&0o666)), f.Close())
}

// openDir opens a real directory; a link in its place is an error.
func openDir(path string) (int, error) {
	return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// openAt opens a regular file below dir. It looks before it opens, since
// opening alone can already have an effect on a fifo or a device.
func openAt(dir int, name string) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return -1, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return -1, errors.New(name + " is not a regular file")
	}
	return unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
}

func readAt(dir int, name string) ([]byte, error) {
	fd, err := openAt(dir, name)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

// readTrimmed reads one of the small files that hold a single word.
func readTrimmed(dir int, name string) (string, error) {
	b, err := readAt(dir, name)
	return string(bytes.TrimSpace(b)), err
}

func isEmpty(dir int) (bool, error) {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, err
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	_, err = f.Readdirnames(1)
	if err == io.EOF {
		return true, nil
	}
	return false, err
}

// discard deletes path after renaming it to away, a name that is fresh, so
// that nobody can publish what is half deleted. Only the one whose rename
// succeeds deletes.
func discard(path, away string) error {
	if err := unix.Rename(path, away); err != nil {
		return err
	}
	return removeAll(away)
}

// removeAll repeats, because a claim that comes too late can still land in a
// directory that is being deleted.
func removeAll(path string) error {
	var err error
	for range 100 {
		if err = os.RemoveAll(path); err == nil {
			return nil
		}
	}
	return err
}

// closeFD closes a descriptor that may be absent. A witness is given up this
// way and never by LOCK_UN.
func closeFD(fd int) {
	if fd >= 0 {
		unix.Close(fd)
	}
}

// isTaken says that a directory rename or rmdir met a directory with something in it.
func isTaken(err error) bool {
	return errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST)
}

// isAbsent says that what was named is not there (any more).
func isAbsent(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESTALE)
}
