package memfs

import (
	"io/fs"
	"syscall"
	"time"
)

// MkdirAll makes the directory path and its missing parents, as user 0, with
// exactly this mode. What exists stays as it is.
func (f *FS) MkdirAll(path string, mode fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return pathError("mkdir", path, f.mkdirAll(path, mode))
}

func (f *FS) mkdirAll(path string, mode fs.FileMode) error {
	at, err := f.hand().walk(path, true)
	if err == syscall.ENOENT && clean(path) != clean(parent(path)) {
		if err := f.mkdirAll(parent(path), mode); err != nil {
			return err
		}
		at, err = f.hand().walk(path, true)
	}
	switch {
	case err != nil:
		return err
	case at.node == nil:
		n, err := f.hand().create(at, modeDir)
		if err == nil {
			n.mode |= mode &^ fs.ModeType
		}
		return err
	case !at.node.isDir():
		return syscall.ENOTDIR
	}
	return nil
}

func parent(path string) string { return join(path, "..") }

// WriteFile puts data into the regular file at path, as user 0. It makes the
// file, with mode 0644, and its parents, or replaces what is in it.
func (f *FS) WriteFile(path, data string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.plant(path, 0o644)
	if err == nil && !n.isRegular() {
		err = syscall.EINVAL
	}
	if err != nil {
		return pathError("write", path, err)
	}
	f.record(Change{Kind: Wrote, Path: n.path(), node: n, data: []byte(data), ends: true})
	n.vol.bytes += int64(len(data) - len(n.data))
	n.data = []byte(data)
	n.stamp()
	return nil
}

// Symlink plants a link at path that leads to target, as user 0. The name must
// be free.
func (f *FS) Symlink(target, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.mustBeFree(path); err != nil {
		return pathError("symlink", path, err)
	}
	n, err := f.plant(path, modeLink|0o777)
	if err == nil {
		n.target = target
	}
	return pathError("symlink", path, err)
}

// Mknod plants something of an odd type at path, as user 0: fs.ModeNamedPipe,
// fs.ModeSocket or fs.ModeDevice, with permission bits. The name must be free.
func (f *FS) Mknod(path string, mode fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.mustBeFree(path); err != nil {
		return pathError("mknod", path, err)
	}
	_, err := f.plant(path, mode)
	return pathError("mknod", path, err)
}

func (f *FS) mustBeFree(path string) error {
	if at, err := f.hand().walk(path, false); err == nil && at.node != nil {
		return syscall.EEXIST
	}
	return nil
}

// plant finds what is at path or makes it, parents included.
func (f *FS) plant(path string, mode fs.FileMode) (*node, error) {
	if err := f.mkdirAll(parent(path), 0o755); err != nil {
		return nil, err
	}
	at, err := f.hand().walk(path, false)
	if err != nil || at.node != nil {
		return at.node, err
	}
	return f.hand().create(at, mode)
}

// ReadFile returns what is in the regular file at path.
func (f *FS) ReadFile(path string) (string, error) {
	data := ""
	err := f.edit("read", path, func(n *node) error {
		if !n.isRegular() {
			return syscall.EINVAL
		}
		data = string(n.data)
		return nil
	})
	return data, err
}

// Chown, Chmod and Chtime change what is at path itself, never what a link
// there leads to. Modification times of planted things are those of the clock
// until Chtime sets them.
func (f *FS) Chown(path string, uid, gid uint32) error {
	return f.edit("chown", path, func(n *node) error {
		n.uid, n.gid = uid, gid
		return nil
	})
}

// Chmod: see Chown.
func (f *FS) Chmod(path string, mode fs.FileMode) error {
	return f.edit("chmod", path, func(n *node) error { return f.hand().chmod(n, mode) })
}

// Chtime: see Chown.
func (f *FS) Chtime(path string, t time.Time) error {
	return f.edit("chtime", path, func(n *node) error {
		n.mtime = t
		return nil
	})
}

// MarkLower makes every directory at path and below one that lies in an
// overlay's lower layer: renaming it fails with EXDEV. What is made below it
// later can be renamed.
func (f *FS) MarkLower(path string) error {
	return f.edit("mark", path, func(n *node) error {
		n.markLower()
		return nil
	})
}

func (n *node) markLower() {
	n.lower = true
	for _, child := range n.names {
		child.markLower()
	}
}

// RemoveAll deletes path and everything below it, innermost first, as people do
// by hand. A path that is not there is no error.
func (f *FS) RemoveAll(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.hand().walk(path, false)
	if err == syscall.ENOENT || err == nil && at.node == nil {
		return nil
	}
	if err == nil && at.dir == nil {
		err = syscall.EBUSY
	}
	if err == nil {
		err = f.removeAll(at.node)
	}
	return pathError("remove", path, err)
}

func (f *FS) removeAll(n *node) error {
	for _, child := range n.sorted() {
		if err := f.removeAll(child); err != nil {
			return err
		}
	}
	return f.hand().remove(place{dir: n.parent, name: n.name, node: n}, n.isDir())
}
