package memfs

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"genlock.dev/genlock/internal/vfs"
)

// ErrKilled is the cause of every error that a killed process sees: what it
// asks for has no effect any more.
var ErrKilled = errors.New("process was killed")

// User is whom a process runs as. User 0 passes every permission check.
type User struct {
	UID, GID uint32
	// Umask is taken from the mode of everything the process makes.
	Umask fs.FileMode
}

// Process is one process's view of the file system: a vfs.FS. Relative paths
// start at the root.
type Process struct {
	fs     *FS
	id     int
	user   User
	killed bool
	open   []descriptor // by number; nil where one was closed
}

var _ vfs.FS = (*Process)(nil)

// descriptor is a *dir or a *file in a process's table.
type descriptor interface {
	drop() // with the lock held, as what follows
	label() string
	inode() *node
	describe(b *strings.Builder)
}

// Process starts a process of user 0 with umask 022.
func (f *FS) Process() *Process { return f.ProcessOf(User{Umask: 0o022}) }

// ProcessOf starts a process of the given user.
func (f *FS) ProcessOf(u User) *Process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.start(u)
}

func (f *FS) start(u User) *Process {
	p := &Process{fs: f, id: len(f.procs), user: u}
	f.procs = append(f.procs, p)
	return p
}

// ID is the number of the process: 1 for the first one. It is never reused.
func (p *Process) ID() int { return p.id }

// Kill ends the process as SIGKILL does: all its descriptors go, and with the
// last descriptor of a description its lock. Nothing else is cleaned up.
// Killing twice does nothing.
func (p *Process) Kill() {
	p.fs.mu.Lock()
	defer p.fs.mu.Unlock()
	p.killed = true
	for _, d := range p.open {
		if d != nil {
			d.drop()
		}
	}
	p.open = nil
}

// Inherit gives p a descriptor of the same open file description, as a child
// gets from its parent: they share the offset and the lock, which goes with the
// last of them. The file may be wrapped by layers that have an Unwrap method.
func (p *Process) Inherit(parent vfs.File) (vfs.File, error) {
	p.fs.mu.Lock()
	defer p.fs.mu.Unlock()
	from, ok := unwrap(parent).(*file)
	if !ok || from.p.fs != p.fs {
		return nil, errors.New("memfs: cannot inherit a file of another file system")
	}
	if err := from.usable(); err != nil {
		return nil, pathError("inherit", from.path, err)
	}
	if p.killed {
		return nil, pathError("inherit", from.path, ErrKilled)
	}
	return p.newFile(from.desc, from.path), nil
}

func unwrap(f vfs.File) vfs.File {
	for {
		w, ok := f.(interface{ Unwrap() vfs.File })
		if !ok {
			return f
		}
		f = w.Unwrap()
	}
}

// Descriptors lists the paths by which the process's open descriptors were
// opened, lowest number first. A test that expects no leak expects none.
func (p *Process) Descriptors() []string {
	p.fs.mu.Lock()
	defer p.fs.mu.Unlock()
	var list []string
	for _, d := range p.open {
		if d != nil {
			list = append(list, d.label())
		}
	}
	return list
}

// install puts d at the lowest free number.
func (p *Process) install(d descriptor) int {
	for i, other := range p.open {
		if other == nil {
			p.open[i] = d
			return i
		}
	}
	p.open = append(p.open, d)
	return len(p.open) - 1
}

// OpenDir implements vfs.FS.
func (p *Process) OpenDir(path string) (vfs.Dir, error) { return p.openPath(path, false) }

// OpenParent implements vfs.FS.
func (p *Process) OpenParent(path string) (vfs.Dir, error) { return p.openPath(path, true) }

func (p *Process) openPath(path string, follow bool) (vfs.Dir, error) {
	p.fs.mu.Lock()
	defer p.fs.mu.Unlock()
	at, err := p.walk(path, follow)
	if err != nil {
		return nil, pathError("open", path, err)
	}
	d, err := p.openDir(at, clean(path))
	if err != nil {
		return nil, pathError("open", path, err)
	}
	return d, nil
}

// Lstat implements vfs.FS.
func (p *Process) Lstat(path string) (vfs.Info, error) {
	p.fs.mu.Lock()
	defer p.fs.mu.Unlock()
	at, err := p.walk(path, false)
	if err == nil && at.node == nil {
		err = syscall.ENOENT
	}
	if err != nil {
		return vfs.Info{}, pathError("lstat", path, err)
	}
	return at.node.info(), nil
}

// Rename implements vfs.FS.
func (p *Process) Rename(oldpath, newpath string, how vfs.RenameFlag) error {
	p.fs.mu.Lock()
	defer p.fs.mu.Unlock()
	from, err := p.walk(oldpath, false)
	if err != nil {
		return linkError(oldpath, newpath, err)
	}
	to, err := p.walk(newpath, false)
	if err != nil {
		return linkError(oldpath, newpath, err)
	}
	return linkError(oldpath, newpath, p.rename(from, to, how))
}
