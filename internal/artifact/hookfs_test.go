package artifact

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"genlock.dev/genlock/internal/vfs"
)

// hookFS is the operating system's file system with a hook before and after
// every operation, so that a test can stop a holder at any of them.
type hookFS struct {
	osLinks
	// before runs first; its error, if any, is the operation's, which then
	// does not happen. after can turn a success into an error.
	before, after func(op, path string) error
	// apart is a directory that seems to be a file system of its own.
	apart string
	// plain: the file system knows no NoReplace and no Exchange.
	plain bool
	// from is where the rename comes from that a hook is called for.
	from string
}

func (h *hookFS) do(op, path string, call func() error) error {
	if h.before != nil {
		if err := h.before(op, path); err != nil {
			return err
		}
	}
	err := call()
	if err == nil && h.after != nil {
		err = h.after(op, path)
	}
	return err
}

func (h *hookFS) isApart(path string) bool {
	return h.apart != "" && strings.HasPrefix(path, h.apart+string(filepath.Separator))
}

func (h *hookFS) rename(oldpath, newpath string, how vfs.RenameFlag, call func() error) error {
	h.from = oldpath
	return h.do("rename", newpath, func() error {
		_, err := os.Lstat(filepath.Dir(oldpath))
		_, nerr := os.Lstat(filepath.Dir(newpath))
		switch { // in the order of the kernel
		case err == nil && nerr == nil && h.isApart(oldpath) != h.isApart(newpath):
			return &os.LinkError{Op: "rename", Old: oldpath, New: newpath, Err: syscall.EXDEV}
		case h.plain && how != vfs.Plain:
			return &os.LinkError{Op: "rename", Old: oldpath, New: newpath, Err: syscall.EINVAL}
		}
		return call()
	})
}

func (h *hookFS) open(op, path string, call func() (vfs.Dir, error)) (d vfs.Dir, err error) {
	err = h.do(op, path, func() error {
		var err error
		d, err = call()
		return err
	})
	if err != nil {
		if d != nil {
			d.Close()
		}
		return nil, err
	}
	return &hookDir{h, d}, nil
}

func (h *hookFS) OpenDir(path string) (vfs.Dir, error) {
	return h.open("opendir", path, func() (vfs.Dir, error) { return vfs.OS().OpenDir(path) })
}

func (h *hookFS) OpenParent(path string) (vfs.Dir, error) {
	return h.open("opendir", path, func() (vfs.Dir, error) { return vfs.OS().OpenParent(path) })
}

func (h *hookFS) Lstat(path string) (info vfs.Info, err error) {
	err = h.do("lstat", path, func() error { info, err = vfs.OS().Lstat(path); return err })
	return info, err
}

func (h *hookFS) Rename(oldpath, newpath string, how vfs.RenameFlag) error {
	return h.rename(oldpath, newpath, how, func() error { return vfs.OS().Rename(oldpath, newpath, how) })
}

func (h *hookFS) Readlink(path string) (target string, err error) {
	err = h.do("readlink", path, func() error { target, err = h.osLinks.Readlink(path); return err })
	return target, err
}

func (h *hookFS) Symlink(target, path string) error {
	return h.do("symlink", path, func() error { return h.osLinks.Symlink(target, path) })
}

type hookDir struct {
	h *hookFS
	vfs.Dir
}

func (d *hookDir) at(name string) string { return filepath.Join(d.Path(), name) }

func (d *hookDir) OpenDir(name string) (vfs.Dir, error) {
	return d.h.open("opendir", d.at(name), func() (vfs.Dir, error) { return d.Dir.OpenDir(name) })
}

func (d *hookDir) Mkdir(name string, mode fs.FileMode) error {
	return d.h.do("mkdir", d.at(name), func() error { return d.Dir.Mkdir(name, mode) })
}

func (d *hookDir) Open(name string, how vfs.OpenFlag, mode fs.FileMode) (f vfs.File, err error) {
	err = d.h.do("open", d.at(name), func() error { f, err = d.Dir.Open(name, how, mode); return err })
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, err
	}
	return &hookFile{d.h, d.at(name), f}, nil
}

func (d *hookDir) Lstat(name string) (info vfs.Info, err error) {
	err = d.h.do("lstat", d.at(name), func() error { info, err = d.Dir.Lstat(name); return err })
	return info, err
}

func (d *hookDir) Chmod(mode fs.FileMode) error {
	return d.h.do("chmod", d.Path(), func() error { return d.Dir.Chmod(mode) })
}

func (d *hookDir) Rename(name string, to vfs.Dir, newname string, how vfs.RenameFlag) error {
	t := to.(*hookDir)
	return d.h.rename(d.at(name), t.at(newname), how, func() error { return d.Dir.Rename(name, t.Dir, newname, how) })
}

func (d *hookDir) Remove(name string) error {
	return d.h.do("remove", d.at(name), func() error { return d.Dir.Remove(name) })
}

func (d *hookDir) Rmdir(name string) error {
	return d.h.do("rmdir", d.at(name), func() error { return d.Dir.Rmdir(name) })
}

func (d *hookDir) Names(max int) (names []string, err error) {
	err = d.h.do("names", d.Path(), func() error { names, err = d.Dir.Names(max); return err })
	return names, err
}

type hookFile struct {
	h    *hookFS
	path string
	vfs.File
}

func (f *hookFile) Read(p []byte) (n int, err error) {
	err = f.h.do("read", f.path, func() error { n, err = f.File.Read(p); return err })
	return n, err
}

func (f *hookFile) Write(p []byte) (n int, err error) {
	err = f.h.do("write", f.path, func() error { n, err = f.File.Write(p); return err })
	return n, err
}

func (f *hookFile) Chmod(mode fs.FileMode) error {
	return f.h.do("chmod", f.path, func() error { return f.File.Chmod(mode) })
}

func (f *hookFile) Sync() error {
	return f.h.do("sync", f.path, func() error { return f.File.Sync() })
}
