package vfs

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"golang.org/x/sys/windows"
)

// osFile is a handle. As long as it is open no directory above it can be moved.
type osFile struct {
	handle windows.Handle
	path   string
}

// openFile opens path, and nothing that a link at path leads to. shown is the
// path for messages.
func openFile(path, shown string, how OpenFlag) (*osFile, error) {
	access, disposition := uint32(windows.GENERIC_READ), uint32(windows.OPEN_EXISTING)
	if how != Read {
		access |= windows.GENERIC_WRITE
	}
	switch how {
	case Create:
		disposition = windows.CREATE_NEW
	case Truncate:
		disposition = windows.TRUNCATE_EXISTING
	}
	handle, err := createFile(path, access, disposition, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT)
	if err != nil {
		return nil, err
	}
	info, err := statHandle(handle)
	if err == nil && info.Mode&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
		err = syscall.ELOOP
	}
	if err != nil {
		windows.CloseHandle(handle)
		return nil, err
	}
	return &osFile{handle: handle, path: shown}, nil
}

// createFile shares everything, deletion included: a file somebody looks at
// can be removed.
func createFile(path string, access, disposition, flags uint32) (windows.Handle, error) {
	p, err := wide(path)
	if err != nil {
		return windows.InvalidHandle, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(p, access, share, nil, disposition, flags, 0)
	return handle, failure(err)
}

func (f *osFile) Descriptor() uintptr { return uintptr(f.handle) }

func (f *osFile) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := windows.Read(f.handle, p)
	if err != nil {
		return 0, pathError("read", f.path, failure(err))
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (f *osFile) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := windows.Write(f.handle, p[done:])
		if err == nil && n == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, pathError("write", f.path, failure(err))
		}
		done += n
	}
	return done, nil
}

func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		at := uint64(off) + uint64(done)
		var n uint32
		err := windows.WriteFile(f.handle, p[done:], &n, &windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)})
		if err == nil && n == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, pathError("write", f.path, failure(err))
		}
		done += int(n)
	}
	return done, nil
}

func (f *osFile) Stat() (Info, error) {
	info, err := statHandle(f.handle)
	return info, pathError("stat", f.path, err)
}

func (f *osFile) Chmod(fs.FileMode) error { return nil }

// Flock is refused: it would need a file that stays open below a directory
// that must move.
func (f *osFile) Flock(LockMode) error {
	return pathError("flock", f.path, errors.ErrUnsupported)
}

func (f *osFile) Sync() error {
	return pathError("sync", f.path, failure(windows.FlushFileBuffers(f.handle)))
}

func (f *osFile) Close() error {
	return pathError("close", f.path, failure(windows.CloseHandle(f.handle)))
}
