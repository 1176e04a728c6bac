package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// OS is the file system of the operating system.
//
// On Windows a directory cannot be moved while anything below it is open, so a
// Dir keeps no handle. It is a path and the identity of what was there, looked
// at anew before every operation: when something else is there now, or nothing,
// the operation fails as below a removed directory. Between the look and the
// operation is a window that a handle would not have. What follows from it:
//
//   - A Dir does not follow its directory when that is renamed.
//   - A link put into a parent's place within the window is followed.
//   - Every operation opens something for a moment, which can make somebody
//     else's rename fail with access denied: contention, to be tried again.
//
// Modes mean nothing here: access is a matter of inherited access control
// lists, Mkdir and Open ignore their mode, and Chmod does nothing.
func OS() FS { return osFS{} }

type osFS struct{}

func (osFS) OpenDir(path string) (Dir, error) {
	return openDirAt(leaf(path), noFollow)
}

func (osFS) OpenParent(path string) (Dir, error) {
	return openDirAt(path, follow)
}

func (osFS) Lstat(path string) (Info, error) {
	info, err := statPath(leaf(path), noFollow)
	return info, pathError("lstat", path, err)
}

func (osFS) Rename(oldpath, newpath string, how RenameFlag) error {
	return linkError("rename", oldpath, newpath, renamePath(leaf(oldpath), leaf(newpath), how))
}

// osDir is a directory by path and identity.
type osDir struct {
	path string
	abs  string // where the path led then, whatever the working directory is now
	id   ID
	how  linkRule
}

func openDirAt(path string, how linkRule) (Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, pathError("open", path, err)
	}
	info, err := statPath(abs, how)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, pathError("open", path, err)
	}
	return &osDir{path: filepath.Clean(path), abs: abs, id: info.ID(), how: how}, nil
}

// look tells what is at the directory's path, if it is still the directory.
func (d *osDir) look() (Info, error) {
	info, err := statPath(d.abs, d.how)
	if err == nil && info.ID() != d.id {
		err = syscall.ENOENT
	}
	return info, err
}

// at returns the path of name, if the directory is still where it was.
func (d *osDir) at(name string) (string, error) {
	if _, err := d.look(); err != nil {
		return "", err
	}
	return join(d.abs, name), nil
}

// on runs do on the path of name.
func (d *osDir) on(op, name string, do func(path string) error) error {
	path, err := d.at(name)
	if err == nil {
		err = do(path)
	}
	return pathError(op, join(d.path, name), err)
}

func (d *osDir) Path() string { return d.path }

func (d *osDir) OpenDir(name string) (Dir, error) {
	path, err := d.at(name)
	if err != nil {
		return nil, pathError("open", join(d.path, name), err)
	}
	sub, err := openDirAt(path, noFollow)
	if err != nil {
		return nil, err
	}
	sub.(*osDir).path = join(d.path, name)
	return sub, nil
}

func (d *osDir) Mkdir(name string, _ fs.FileMode) error {
	return d.on("mkdir", name, func(path string) error {
		p, err := wide(path)
		if err != nil {
			return err
		}
		return failure(windows.CreateDirectory(p, nil))
	})
}

func (d *osDir) Open(name string, how OpenFlag, _ fs.FileMode) (File, error) {
	var f *osFile
	err := d.on("open", name, func(path string) (err error) {
		f, err = openFile(path, join(d.path, name), how)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *osDir) Lstat(name string) (info Info, err error) {
	err = d.on("lstat", name, func(path string) (err error) {
		info, err = statPath(path, noFollow)
		return err
	})
	return info, err
}

func (d *osDir) Stat() (Info, error) {
	info, err := d.look()
	return info, pathError("stat", d.path, err)
}

func (d *osDir) Chmod(fs.FileMode) error { return nil }

func (d *osDir) Rename(name string, to Dir, newname string, how RenameFlag) error {
	target, ok := to.(*osDir)
	if !ok {
		return linkError("rename", name, newname, syscall.EXDEV)
	}
	from, err := d.at(name)
	var onto string
	if err == nil {
		onto, err = target.at(newname)
	}
	if err == nil {
		err = renamePath(from, onto, how)
	}
	return linkError("rename", join(d.path, name), join(target.path, newname), err)
}

func (d *osDir) Remove(name string) error { return d.on("remove", name, deleteFile) }

func (d *osDir) Rmdir(name string) error { return d.on("rmdir", name, deleteDir) }

func (d *osDir) Names(max int) ([]string, error) {
	if _, err := d.look(); err != nil {
		return nil, pathError("readdir", d.path, err)
	}
	f, err := os.Open(d.abs)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(max)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return names, err
}

func (d *osDir) Close() error { return nil }
