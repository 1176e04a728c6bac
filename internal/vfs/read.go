package vfs

import (
	"errors"
	"io"
	"io/fs"
)

// ErrNotRegular is the cause when a link, a directory, a fifo or another odd
// type stands where a regular file belongs (rule 11).
var ErrNotRegular = errors.New("not a regular file")

// ErrTooBig is the cause when a record is longer than any reader accepts.
var ErrTooBig = errors.New("file is too big to be a record")

// ReadFile reads the regular file name below d, at most max bytes. It follows
// no link and never blocks on a fifo. A file that is longer is ErrTooBig.
func ReadFile(d Dir, name string, max int) ([]byte, error) {
	data, _, err := ReadInfo(d, name, max)
	return data, err
}

// ReadInfo is ReadFile that also describes the file right before it was read. What
// has the size that it had then is read whole: nobody appends to a record.
func ReadInfo(d Dir, name string, max int) ([]byte, Info, error) {
	f, err := d.Open(name, Read, 0)
	if err != nil {
		return nil, Info{}, notRegular(d, name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, info, err
	}
	if !info.IsRegular() {
		return nil, info, pathError("read", join(d.Path(), name), ErrNotRegular)
	}
	buf := make([]byte, 0, min(int(info.Size)+1, max+1))
	for len(buf) <= max {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.Read(buf[len(buf):min(cap(buf), max+1)])
		buf = buf[:len(buf)+n]
		whole := len(buf) > 0 && int64(len(buf)) == info.Size && len(buf) <= max
		if err == io.EOF || err == nil && (n == 0 || whole) {
			return buf, info, nil
		}
		if err != nil {
			return nil, info, err
		}
	}
	return nil, info, pathError("read", join(d.Path(), name), ErrTooBig)
}

// notRegular turns the many ways in which opening something odd fails into the
// one cause people can read.
func notRegular(d Dir, name string, err error) error {
	info, serr := d.Lstat(name)
	if serr != nil || info.IsRegular() {
		return err
	}
	return &fs.PathError{Op: "open", Path: join(d.Path(), name), Err: ErrNotRegular}
}

// WriteFile creates the new file name below d with data. It fails when the name
// is taken. A file that could not be written whole is left to the caller, who
// knows in which directory of its own it lies.
func WriteFile(d Dir, name string, data []byte, mode fs.FileMode) error {
	f, err := d.Open(name, Create, mode)
	if err != nil {
		return err
	}
	err = writeAll(f, data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

func writeAll(f File, data []byte) error {
	n, err := f.Write(data)
	if err == nil && n < len(data) {
		return io.ErrShortWrite
	}
	return err
}
