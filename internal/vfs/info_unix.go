//go:build unix

package vfs

import (
	"io/fs"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// busyErrnos are the ways in which flock says that somebody else holds it.
var busyErrnos = []syscall.Errno{syscall.EWOULDBLOCK}

func infoOf(st *unix.Stat_t) Info {
	return Info{
		Dev: uint64(st.Dev), Ino: uint64(st.Ino), Mode: fileMode(uint32(st.Mode)),
		Size: st.Size, Nlink: uint64(st.Nlink), UID: st.Uid, GID: st.Gid,
		ModTime: time.Unix(st.Mtim.Unix()),
	}
}

func fileMode(raw uint32) fs.FileMode {
	mode := fs.FileMode(raw & 0o777)
	switch raw & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	}
	for _, b := range specialBits {
		if raw&b.raw != 0 {
			mode |= b.mode
		}
	}
	return mode
}

var specialBits = [...]struct {
	raw  uint32
	mode fs.FileMode
}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}}

func rawMode(mode fs.FileMode) uint32 {
	raw := uint32(mode.Perm())
	for _, b := range specialBits {
		if mode&b.mode != 0 {
			raw |= b.raw
		}
	}
	return raw
}
