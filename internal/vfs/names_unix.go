//go:build unix

package vfs

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Names opens the directory anew through its own handle: the position of a
// directory stream belongs to the open description, which others share.
func (d *osDir) Names(max int) ([]string, error) {
	fd := -1
	err := ignoringEINTR(func() (err error) {
		fd, err = unix.Openat(d.fd, ".", dirFlags, 0)
		return err
	})
	if err != nil {
		return nil, pathError("readdir", d.path, err)
	}
	f := os.NewFile(uintptr(fd), d.path)
	defer f.Close()
	names, err := f.Readdirnames(max)
	if err == io.EOF {
		err = nil
	}
	return names, err
}
