package main

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// newDisk makes the file system, and says what cannot be done here.
func newDisk(dir string) (*disk, []string) {
	d := &disk{dir: dir}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return d, []string{err.Error()}
	}
	if os.Geteuid() != 0 {
		d.can = []string{frozen}
		return d, []string{"a disk that fills up, and a read-only remount: only root can mount a small file system; permissions are taken away instead"}
	}
	if err := unix.Mount("genlock-chaos", dir, "tmpfs", 0, "size=2m,nr_inodes=1500"); err != nil {
		return d, []string{"a disk that is spoilt: mounting a small tmpfs: " + err.Error()}
	}
	d.mounted, d.can = true, []string{noSpace, noInodes, readOnly}
	if err := setImmutable(dir, true); err != nil {
		return d, []string{"immutable directories: " + err.Error()}
	}
	setImmutable(dir, false)
	d.can = append(d.can, frozen)
	return d, nil
}

func (d *disk) close() {
	if d.mounted {
		unix.Unmount(d.dir, unix.MNT_DETACH)
	}
}

// remount waits for a moment in which no file is open for writing, which is when the
// kernel allows it.
func (d *disk) remount(ctx context.Context) (mend func()) {
	const tries = 300
	for range tries {
		if unix.Mount("", d.dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "") == nil {
			return func() {
				for unix.Mount("", d.dir, "", unix.MS_REMOUNT, "") != nil {
					time.Sleep(time.Millisecond)
				}
			}
		}
		if !sleep(ctx, time.Millisecond) {
			break
		}
	}
	return nil
}

// freeze makes the locks' directories immutable, which holds for root as well and
// while files are open. Without root it takes permissions away.
func (d *disk) freeze() (mend func()) {
	if os.Geteuid() != 0 {
		return d.chmod()
	}
	var done []string
	for _, root := range d.roots() {
		if setImmutable(root, true) == nil {
			done = append(done, root)
		}
	}
	if len(done) == 0 {
		return nil
	}
	return func() {
		for _, root := range done {
			setImmutable(root, false)
		}
	}
}

func setImmutable(dir string, on bool) error {
	const immutable = 0x10 // FS_IMMUTABLE_FL
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err
	}
	if flags &^= immutable; on {
		flags |= immutable
	}
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags)
}
