package vfstest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

// Compare does the same random steps on two file systems that both claim the
// semantics of Linux, and fails at the first step whose outcome differs: the
// error, or what was returned. The same seed gives the same steps.
func Compare(t *testing.T, newA, newB func(t *testing.T) (fs vfs.FS, dir string), seed uint64, steps int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	a, b := newActor(t, newA), newActor(t, newB)
	var story []string
	for range steps {
		s := randomStep(rng)
		gotA, gotB := a.do(s), b.do(s)
		story = append(story, fmt.Sprintf("%s\t%s", s, gotA))
		if gotA != gotB {
			tail := story[max(0, len(story)-20):]
			t.Fatalf("seed %d, step %d:\n%s\nthe other says\t%s", seed, len(story), strings.Join(tail, "\n"), gotB)
		}
	}
	if gotA, gotB := tree(t, a.dirs[0], ""), tree(t, b.dirs[0], ""); !slices.Equal(gotA, gotB) {
		t.Errorf("seed %d ended in\n%v\nand\n%v", seed, gotA, gotB)
	}
}

// step is one operation on slots: directories 0 (the root) to 4, files 0 to 3.
type step struct {
	verb         string
	dir, to      int
	name, toName string
	file         int
	flag         int
}

var verbs = []string{
	"mkdir", "mkdir", "create", "create", "symlink", "fifo", "opendir", "opendir", "opendir", "open", "open",
	"rename", "rename", "rename", "rename", "rename", "rename by path", "remove", "rmdir", "rmdir",
	"names", "lstat", "lstat by path", "stat", "fstat", "same", "write", "read", "flock", "flock", "close file", "sync",
}

func randomStep(rng *rand.Rand) step {
	pick := func() string { return []string{"a", "b", "c"}[rng.IntN(3)] }
	return step{
		verb: verbs[rng.IntN(len(verbs))], dir: rng.IntN(5), to: rng.IntN(5),
		name: pick(), toName: pick(), file: rng.IntN(4), flag: rng.IntN(6),
	}
}

func (s step) String() string {
	return fmt.Sprintf("%-14s dir %d %s  dir %d %s  file %d  flag %d", s.verb, s.dir, s.name, s.to, s.toName, s.file, s.flag)
}

// renameFlag is mostly Plain.
func (s step) renameFlag() vfs.RenameFlag { return vfs.RenameFlag(max(0, s.flag-3)) }

// actor is one of the two file systems with its open handles.
type actor struct {
	stage *stage
	dirs  [5]vfs.Dir
	files [4]vfs.File
}

func newActor(t *testing.T, newFS func(t *testing.T) (vfs.FS, string)) *actor {
	fs, dir := newFS(t)
	root, err := fs.OpenParent(dir)
	must(t, err)
	a := &actor{stage: &stage{fs: fs, path: dir, root: root}}
	a.dirs[0] = root
	a.stage.planter(t)
	t.Cleanup(func() {
		for _, d := range a.dirs {
			if d != nil {
				d.Close()
			}
		}
		for _, f := range a.files {
			if f != nil {
				f.Close()
			}
		}
	})
	return a
}

// do performs a step and says what came of it.
func (a *actor) do(s step) string {
	d, to, f := a.dir(s.dir), a.dir(s.to), a.files[s.file]
	switch s.verb {
	case "mkdir":
		return outcome(d.Mkdir(s.name, 0o755))
	case "create":
		return a.keepFile(s.file, func() (vfs.File, error) { return d.Open(s.name, vfs.Create, 0o644) })
	case "open":
		how := vfs.OpenFlag(s.flag % 2)
		return a.keepFile(s.file, func() (vfs.File, error) { return d.Open(s.name, how, 0) })
	case "opendir":
		return a.keepDir(1+s.to%4, func() (vfs.Dir, error) { return d.OpenDir(s.name) })
	case "symlink":
		return a.symlink(s)
	case "fifo":
		return shortOutcome(a.stage.fs.(Planter).Fifo(a.stage.join(s.name)))
	case "rename":
		return outcome(d.Rename(s.name, to, s.toName, s.renameFlag()))
	case "rename by path":
		return outcome(a.stage.fs.Rename(a.deepPath(s), a.stage.join(s.toName), s.renameFlag()))
	case "remove":
		return outcome(d.Remove(s.name))
	case "rmdir":
		return outcome(d.Rmdir(s.name))
	case "names":
		names, err := d.Names(0)
		slices.Sort(names)
		return outcome(err, names)
	case "lstat":
		info, err := d.Lstat(s.name)
		return describe(info, err)
	case "lstat by path":
		info, err := a.stage.fs.Lstat(a.deepPath(s))
		return describe(info, err)
	case "stat":
		info, err := d.Stat()
		return describe(info, err)
	case "same":
		return a.same(d, to)
	}
	if f == nil {
		return "no such file"
	}
	return a.doFile(s, f)
}

func (a *actor) doFile(s step, f vfs.File) string {
	info, err := f.Stat()
	switch s.verb {
	case "fstat":
		return describe(info, err)
	case "flock":
		return outcome(f.Flock(vfs.LockMode(s.flag % 2)))
	case "close file":
		a.files[s.file] = nil
		return outcome(f.Close())
	}
	if !info.IsRegular() {
		return "not a regular file" // what a fifo buffers is not modelled
	}
	switch s.verb {
	case "write":
		n, err := f.Write([]byte("some text")[:1+s.flag])
		return outcome(err, n)
	case "read":
		buf := make([]byte, 1+s.flag)
		n, err := f.Read(buf)
		return outcome(err, string(buf[:n]))
	}
	return outcome(f.Sync())
}

// dir is the directory in a slot, or the root as long as there is none.
func (a *actor) dir(slot int) vfs.Dir {
	if a.dirs[slot] == nil {
		return a.dirs[0]
	}
	return a.dirs[slot]
}

// deepPath leads through a name, which may be a link or anything else.
func (a *actor) deepPath(s step) string { return a.stage.join(filepath.Join(s.toName, s.name)) }

func (a *actor) symlink(s step) string {
	target := []string{".", "..", "a", "b", "../c", "nowhere"}[s.flag]
	if target == ".." {
		target = "." // not out of the directory
	}
	return shortOutcome(a.stage.fs.(Planter).Symlink(target, a.stage.join(s.name)))
}

func (a *actor) keepDir(slot int, open func() (vfs.Dir, error)) string {
	d, err := open()
	if err == nil {
		if a.dirs[slot] != nil {
			a.dirs[slot].Close()
		}
		a.dirs[slot] = d
	}
	return outcome(err)
}

func (a *actor) keepFile(slot int, open func() (vfs.File, error)) string {
	f, err := open()
	if err == nil {
		if a.files[slot] != nil {
			a.files[slot].Close()
		}
		a.files[slot] = f
	}
	return outcome(err)
}

func (a *actor) same(d, to vfs.Dir) string {
	x, err := d.Stat()
	if err != nil {
		return outcome(err)
	}
	y, err := to.Stat()
	return outcome(err, x.ID() == y.ID())
}

func describe(info vfs.Info, err error) string {
	if err != nil {
		return outcome(err)
	}
	if info.IsDir() {
		return outcome(nil, info.Mode)
	}
	return outcome(nil, info.Mode, info.Size, info.Nlink)
}

// outcome is the error without what differs between two runs.
func outcome(err error, values ...any) string {
	var errno syscall.Errno
	switch {
	case err == nil:
		return "ok " + fmt.Sprint(values...)
	case errors.As(err, &errno):
		return errno.Error()
	}
	return err.Error()
}

// shortOutcome is for planting, whose errors are not part of any promise.
func shortOutcome(err error) string {
	if err != nil {
		return "not planted"
	}
	return "planted"
}
