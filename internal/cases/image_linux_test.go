package cases

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// disk is a kind of file system that can be made in a file.
type disk struct {
	name      string
	megabytes int64
	mkfs      []string
	// options make it commit often, so that names reach the disk and what stands
	// in the files does not.
	options string
	repair  []string
	// slow: fewer moments are tried, unless all is played in full.
	slow bool
}

var disks = []disk{
	{"ext4", 64, []string{"mkfs.ext4", "-q", "-F"}, "loop,commit=1", []string{"e2fsck", "-fy"}, false},
	{"xfs", 300, []string{"mkfs.xfs", "-q", "-f"}, "loop", []string{"xfs_repair", "-L"}, true},
	{"btrfs", 128, []string{"mkfs.btrfs", "-q", "-f"}, "loop,commit=1", []string{"btrfs", "check", "--repair", "--force"}, true},
}

// format makes the file system in a file.
func (d disk) format(s *scene) (file string) {
	s.Helper()
	s.needRoot()
	if _, err := exec.LookPath(d.mkfs[0]); err != nil {
		s.skip("%s is not installed", d.mkfs[0])
	}
	file = filepath.Join(s.dir, "disk")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		s.Fatal(err)
	}
	if err := os.Truncate(file, d.megabytes<<20); err != nil {
		s.Fatal(err)
	}
	if out, err := exec.Command(d.mkfs[0], append(d.mkfs[1:], file)...).CombinedOutput(); err != nil {
		s.skip("%s: %v: %s", d.mkfs[0], err, out)
	}
	return file
}

// mount mounts the image where only this process sees it: the mount is taken out of
// the tree again, and a descriptor is kept. However the process ends, the kernel
// then drops the mount and the loop device below it.
func (d disk) mount(t *testing.T, file string) (root *os.File, err error) {
	t.Helper()
	at := t.TempDir()
	out, err := exec.Command("mount", "-t", d.name, "-o", d.options, file, at).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	root, err = os.Open(at)
	return root, errors.Join(err, unix.Unmount(at, unix.MNT_DETACH))
}

// mountRepaired mounts a copy as an administrator would: as it is if that works.
func (d disk) mountRepaired(t *testing.T, file string) (*os.File, error) {
	t.Helper()
	root, err := d.mount(t, file)
	if err == nil {
		return root, nil
	}
	t.Logf("repairing: %v", err)
	out, rerr := exec.Command(d.repair[0], append(d.repair[1:], file)...).CombinedOutput()
	if root, err = d.mount(t, file); err != nil {
		return nil, fmt.Errorf("%w; the repair said (%v): %s", err, rerr, out)
	}
	return root, nil
}

// pathOf leads to a mounted image, for the processes we start as well.
func pathOf(root *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), root.Fd()) }

// copyDisk copies an image that is in use. A copy during which it changed could be
// of a state that never was, so it is made anew.
func copyDisk(from, to string) error {
	const most = 50
	for range most {
		copied, err := transfer(from, to)
		if err != nil {
			return err
		}
		if now, err := transfer(from, os.DevNull); err != nil || now == copied {
			return err
		}
	}
	return fmt.Errorf("%s changes faster than it can be copied", from)
}

var seed = maphash.MakeSeed()

// transfer copies what is not zeros and returns a sum of it.
func transfer(from, to string) (sum uint64, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return 0, err
	}
	out, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	if to != os.DevNull {
		err = out.Truncate(info.Size())
	}
	block, zeros := make([]byte, 64<<10), make([]byte, 64<<10)
	for at := int64(0); at < info.Size() && err == nil; {
		if at, err = unix.Seek(int(in.Fd()), at, unix.SEEK_DATA); errors.Is(err, unix.ENXIO) {
			return sum, nil // only a hole is left
		}
		if err != nil {
			break
		}
		n, rerr := in.ReadAt(block, at)
		if rerr != nil && rerr != io.EOF {
			return 0, rerr
		}
		if data := block[:n]; !bytes.Equal(data, zeros[:n]) {
			sum = sum*31 + maphash.Bytes(seed, data) + uint64(at)
			_, err = out.WriteAt(data, at)
		}
		at += int64(n)
	}
	return sum, err
}
