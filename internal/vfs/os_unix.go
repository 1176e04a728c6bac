//go:build unix

package vfs

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// OS is the file system of the operating system.
func OS() FS { return osFS{} }

type osFS struct{}

const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC

func (osFS) OpenDir(path string) (Dir, error) {
	return openPath(path, leaf(path), dirFlags|unix.O_NOFOLLOW)
}

func (osFS) OpenParent(path string) (Dir, error) {
	return openPath(path, path, dirFlags)
}

func (osFS) Lstat(path string) (Info, error) {
	info, err := statAt(unix.AT_FDCWD, leaf(path))
	return info, pathError("lstat", path, err)
}

func (osFS) Rename(oldpath, newpath string, how RenameFlag) error {
	err := ignoringEINTR(func() error {
		return renameAt(unix.AT_FDCWD, leaf(oldpath), unix.AT_FDCWD, leaf(newpath), how)
	})
	return linkError("rename", oldpath, newpath, err)
}

// osDir is a directory descriptor.
type osDir struct {
	fd   int
	path string
}

func (d *osDir) Path() string { return d.path }

// Descriptor implements OSFile.
func (d *osDir) Descriptor() uintptr { return uintptr(d.fd) }

func (d *osDir) OpenDir(name string) (Dir, error) {
	fd, err := openAt(d.fd, name, dirFlags|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, nameError("open", d.path, name, err)
	}
	return &osDir{fd: fd, path: join(d.path, name)}, nil
}

func (d *osDir) Mkdir(name string, mode fs.FileMode) error {
	err := ignoringEINTR(func() error { return unix.Mkdirat(d.fd, name, uint32(mode.Perm())) })
	return nameError("mkdir", d.path, name, err)
}

func (d *osDir) Lstat(name string) (Info, error) {
	info, err := statAt(d.fd, name)
	return info, nameError("lstat", d.path, name, err)
}

func (d *osDir) Stat() (Info, error) {
	info, err := statFD(d.fd)
	return info, pathError("stat", d.path, err)
}

func (d *osDir) Chmod(mode fs.FileMode) error {
	return pathError("chmod", d.path, unix.Fchmod(d.fd, rawMode(mode)))
}

func (d *osDir) Rename(name string, to Dir, newname string, how RenameFlag) error {
	target, ok := to.(*osDir)
	if !ok {
		return linkError("rename", name, newname, unix.EXDEV)
	}
	err := ignoringEINTR(func() error { return renameAt(d.fd, name, target.fd, newname, how) })
	if err == nil {
		return nil
	}
	return linkError("rename", join(d.path, name), join(target.path, newname), err)
}

func (d *osDir) Remove(name string) error {
	err := ignoringEINTR(func() error { return unix.Unlinkat(d.fd, name, 0) })
	return nameError("remove", d.path, name, err)
}

func (d *osDir) Rmdir(name string) error {
	err := ignoringEINTR(func() error { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) })
	return nameError("rmdir", d.path, name, err)
}

func (d *osDir) Close() error { return pathError("close", d.path, unix.Close(d.fd)) }

func openPath(path, leaf string, flags int) (Dir, error) {
	fd, err := openAt(unix.AT_FDCWD, leaf, flags, 0)
	if err != nil {
		return nil, pathError("open", path, err)
	}
	return &osDir{fd: fd, path: filepath.Clean(path)}, nil
}

func openAt(at int, name string, flags int, mode uint32) (fd int, err error) {
	err = ignoringEINTR(func() (err error) {
		fd, err = unix.Openat(at, name, flags, mode)
		return err
	})
	return fd, err
}

// statAt wants fstatat without following; AT_FDCWD makes it lstat.
func statAt(at int, name string) (Info, error) {
	var st unix.Stat_t
	err := ignoringEINTR(func() error { return unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

func statFD(fd int) (Info, error) {
	var st unix.Stat_t
	err := ignoringEINTR(func() error { return unix.Fstat(fd, &st) })
	if err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

// ignoringEINTR repeats a call that a signal interrupted before it had any
// effect. Closing is not among them: after EINTR the descriptor is gone.
func ignoringEINTR(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
