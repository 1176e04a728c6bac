package vfstest_test

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/internal/vfs/vfstest"
)

// model is the model file system as the suite wants it: the view of a process,
// perhaps wrapped, and the disk.
type model struct {
	vfs.FS
	disk *memfs.FS
}

var _ interface {
	vfstest.Planter
	vfstest.Impersonator
	vfstest.Inheritor
	vfstest.Neighbour
	vfstest.Limiter
	vfstest.Sealer
} = model{}

func (m model) Symlink(target, path string) error { return m.disk.Symlink(target, path) }

func (m model) Fifo(path string) error { return m.disk.Mknod(path, fs.ModeNamedPipe|0o600) }

func (m model) As(uid, gid uint32, umask fs.FileMode, do func(vfs.FS)) error {
	p := m.disk.ProcessOf(memfs.User{UID: uid, GID: gid, Umask: umask})
	defer p.Kill()
	do(p)
	return nil
}

func (m model) Inherit(f vfs.File) (func() error, error) {
	child := m.disk.Process()
	_, err := child.Inherit(f)
	return func() error { child.Kill(); return nil }, err
}

func (m model) OtherDevice() string { return "/mnt" }

func (m model) Limited(_ *testing.T, bytes int64, inodes int) (vfs.FS, string) {
	return memfs.New(memfs.Options{Bytes: bytes, Inodes: inodes + 1}).Process(), "/"
}

func (m model) Sealed(t *testing.T, fill func(vfs.FS, string)) (vfs.FS, string) {
	disk := memfs.New(memfs.Options{})
	fill(disk.Process(), "/")
	if err := disk.SetReadOnly("/", true); err != nil {
		t.Fatal(err)
	}
	return disk.Process(), "/"
}

// newModel also checks that the case leaves nothing open.
func newModel(opt memfs.Options, wrap func(vfs.FS) vfs.FS) func(t *testing.T) (vfs.FS, string) {
	return func(t *testing.T) (vfs.FS, string) {
		disk := memfs.New(opt)
		for _, dir := range []string{"/cache/dir", "/mnt"} {
			if err := disk.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := disk.Mount("/mnt", memfs.Options{}); err != nil {
			t.Fatal(err)
		}
		p := disk.Process()
		t.Cleanup(func() {
			if open := p.Descriptors(); len(open) > 0 {
				t.Errorf("left open: %v", open)
			}
		})
		return model{FS: wrap(p), disk: disk}, "/cache/dir"
	}
}

func bare(f vfs.FS) vfs.FS { return f }

func faulty(f vfs.FS) vfs.FS { return faultfs.Wrap(f, faultfs.Hooks{}) }

func TestModel(t *testing.T) {
	for name, opt := range map[string]memfs.Options{
		"plain":    {},
		"recycles": {ReuseInodes: true},
		"xfs":      {NotEmpty: syscall.EEXIST},
		"durable":  {Durable: true},
	} {
		t.Run(name, func(t *testing.T) { vfstest.Run(t, newModel(opt, bare)) })
	}
}

// A wrapper without hooks changes nothing.
func TestModelWrapped(t *testing.T) { vfstest.Run(t, newModel(memfs.Options{}, faulty)) }

func TestModelAgainstItselfWrapped(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			vfstest.Compare(t, newModel(memfs.Options{}, bare), newModel(memfs.Options{ReuseInodes: true}, faulty), seed, 500)
		})
	}
}
