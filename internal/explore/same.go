package explore

import (
	"io/fs"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

// sameFiles shows a newcomer the numbers by which the simulated processes knew the
// files: those are in the records.
type sameFiles struct {
	vfs.FS
	ids map[uint64]nodeID // by the model file system's own numbers
}

func (s *sameFiles) number(info vfs.Info) vfs.Info {
	if id, ok := s.ids[info.Ino]; ok {
		info.Ino = uint64(id)
	} else {
		info.Ino += 1 << 40
	}
	return info
}

func (s *sameFiles) dir(d vfs.Dir, err error) (vfs.Dir, error) {
	if err != nil {
		return nil, err
	}
	return &sameDir{d, s}, nil
}

func (s *sameFiles) OpenDir(path string) (vfs.Dir, error)    { return s.dir(s.FS.OpenDir(path)) }
func (s *sameFiles) OpenParent(path string) (vfs.Dir, error) { return s.dir(s.FS.OpenParent(path)) }

func (s *sameFiles) Lstat(path string) (vfs.Info, error) {
	info, err := s.FS.Lstat(path)
	return s.number(info), err
}

type sameDir struct {
	vfs.Dir
	s *sameFiles
}

func (d *sameDir) OpenDir(name string) (vfs.Dir, error) { return d.s.dir(d.Dir.OpenDir(name)) }

func (d *sameDir) Lstat(name string) (vfs.Info, error) {
	info, err := d.Dir.Lstat(name)
	return d.s.number(info), err
}

// Touch implements vfs.Toucher.
func (d *sameDir) Touch(t time.Time) error { return vfs.Touch(d.Dir, t) }

func (d *sameDir) Stat() (vfs.Info, error) {
	info, err := d.Dir.Stat()
	return d.s.number(info), err
}

func (d *sameDir) Rename(name string, to vfs.Dir, newname string, how vfs.RenameFlag) error {
	return d.Dir.Rename(name, to.(*sameDir).Dir, newname, how)
}

func (d *sameDir) Open(name string, how vfs.OpenFlag, mode fs.FileMode) (vfs.File, error) {
	f, err := d.Dir.Open(name, how, mode)
	if err != nil {
		return nil, err
	}
	return &sameFile{f, d.s}, nil
}

type sameFile struct {
	vfs.File
	s *sameFiles
}

func (f *sameFile) Stat() (vfs.Info, error) {
	info, err := f.File.Stat()
	return f.s.number(info), err
}
