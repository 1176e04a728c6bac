package vfs

import (
	"io/fs"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// linkRule says what happens to a link at the end of a path.
type linkRule bool

const (
	noFollow linkRule = false
	follow   linkRule = true
)

// statPath describes what is at path through a handle without access rights,
// open for this moment only.
func statPath(path string, how linkRule) (Info, error) {
	flags := uint32(windows.FILE_FLAG_BACKUP_SEMANTICS) // allows directories
	if how == noFollow {
		flags |= windows.FILE_FLAG_OPEN_REPARSE_POINT
	}
	handle, err := createFile(path, windows.FILE_READ_ATTRIBUTES, windows.OPEN_EXISTING, flags)
	if err != nil {
		return Info{}, err
	}
	defer windows.CloseHandle(handle)
	return statHandle(handle)
}

// statHandle takes the 64-bit file index for the inode number. On ReFS, which
// has wider ones, it is not promised to be unique.
func statHandle(handle windows.Handle) (Info, error) {
	var raw windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(handle, &raw); err != nil {
		return Info{}, failure(err)
	}
	mode, err := modeOf(handle, raw.FileAttributes)
	if err != nil {
		return Info{}, err
	}
	return Info{
		Dev:     uint64(raw.VolumeSerialNumber),
		Ino:     uint64(raw.FileIndexHigh)<<32 | uint64(raw.FileIndexLow),
		Mode:    mode,
		Size:    int64(raw.FileSizeHigh)<<32 | int64(raw.FileSizeLow),
		Nlink:   uint64(raw.NumberOfLinks),
		ModTime: time.Unix(0, raw.LastWriteTime.Nanoseconds()),
	}, nil
}

// modeOf calls symbolic links and junctions links. Every other reparse point,
// such as a placeholder of a cloud store, is irregular and refused like one:
// reading it could run anything.
func modeOf(handle windows.Handle, attributes uint32) (fs.FileMode, error) {
	if attributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0 {
		var tag struct{ attributes, tag uint32 }
		err := windows.GetFileInformationByHandleEx(handle, windows.FileAttributeTagInfo,
			(*byte)(unsafe.Pointer(&tag)), uint32(unsafe.Sizeof(tag)))
		if err != nil {
			return 0, failure(err)
		}
		switch tag.tag {
		case windows.IO_REPARSE_TAG_SYMLINK, windows.IO_REPARSE_TAG_MOUNT_POINT:
			return fs.ModeSymlink | 0o777, nil
		}
		return fs.ModeIrregular | 0o666, nil
	}
	mode := fs.FileMode(0o666)
	if attributes&windows.FILE_ATTRIBUTE_READONLY != 0 {
		mode = 0o444
	}
	if attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0 {
		mode = fs.ModeDir | 0o777
	}
	return mode, nil
}

// busyErrnos are the ways in which a lock says that somebody else holds it. No
// OS file has one here, but the model file system does.
var busyErrnos = []syscall.Errno{syscall.EWOULDBLOCK}
