package operate

import (
	"context"
	"io/fs"
	"testing"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
)

// deaf grants every lock, as some network mounts do.
type deaf struct{ vfs.Dir }

func (d deaf) OpenDir(name string) (vfs.Dir, error) {
	sub, err := d.Dir.OpenDir(name)
	return deaf{sub}, err
}

func (d deaf) Open(name string, how vfs.OpenFlag, mode fs.FileMode) (vfs.File, error) {
	f, err := d.Dir.Open(name, how, mode)
	return deafFile{f}, err
}

type deafFile struct{ vfs.File }

func (deafFile) Flock(vfs.LockMode) error { return nil }

// TestFlockSelfTest: a file system that grants everything is found, one that excludes
// is not, and nothing is left behind.
func TestFlockSelfTest(t *testing.T) {
	e := env.From(context.Background())
	dir, err := openDirectory(t.TempDir(), e.FS)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	works, err := flockWorks(e, place{dir: dir})
	if !works || err != nil {
		t.Skip("OS locks do not exclude here", err)
	}
	works, err = flockWorks(e, place{dir: &directory{Dir: deaf{dir.Dir}}})
	if works || err != nil {
		t.Error(works, err)
	}
	if names, err := dir.Names(0); len(names) > 0 || err != nil {
		t.Error(names, err)
	}
}
