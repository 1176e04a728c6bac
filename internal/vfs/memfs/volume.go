package memfs

import (
	"io/fs"
	"strings"
	"syscall"
	"time"

	"genlock.dev/genlock/internal/vfs"
)

// maxName is the longest name every file system of the contract takes.
const maxName = 255

// volume is one device: it gives out inode numbers and space.
type volume struct {
	dev     uint64
	opt     Options
	nextIno uint64
	freed   []uint64 // last freed last, kept only when numbers are reused
	bytes   int64
	inodes  int
}

func (f *FS) addVolume(opt Options) *volume {
	if opt.Kind == (vfs.Kind{}) {
		opt.Kind = vfs.Kind{Name: "memfs", Local: true}
	}
	if opt.NotEmpty == 0 {
		opt.NotEmpty = syscall.ENOTEMPTY
	}
	vol := &volume{dev: uint64(len(f.volumes) + 1), opt: opt, nextIno: 2}
	f.volumes = append(f.volumes, vol)
	return vol
}

func (v *volume) now() time.Time {
	if v.opt.Clock == nil {
		return Epoch
	}
	return v.opt.Clock()
}

// key is what two names share when they are the same name here.
func (v *volume) key(name string) string {
	if v.opt.FoldCase {
		return strings.ToLower(name)
	}
	return name
}

// newNode makes an inode without a name. The caller has asked hasInode.
func (v *volume) newNode(mode fs.FileMode) *node {
	n := &node{vol: v, ino: v.takeIno(), mode: mode, mtime: v.now()}
	if mode.IsDir() {
		n.names = map[string]*node{}
	}
	v.inodes++
	return n
}

func (v *volume) takeIno() uint64 {
	if last := len(v.freed) - 1; last >= 0 {
		ino := v.freed[last]
		v.freed = v.freed[:last]
		return ino
	}
	v.nextIno++
	return v.nextIno - 1
}

// free gives the inode's number and space back. The node itself lives on while
// the log of pending changes speaks of it.
func (v *volume) free(n *node) {
	v.inodes--
	v.bytes -= int64(len(n.data))
	if v.opt.ReuseInodes {
		v.freed = append(v.freed, n.ino)
	}
}

func (v *volume) hasInode() bool { return v.opt.Inodes == 0 || v.inodes < v.opt.Inodes }

// room tells how many of want bytes still fit.
func (v *volume) room(want int) int {
	if v.opt.Bytes == 0 {
		return want
	}
	return int(min(int64(want), max(0, v.opt.Bytes-v.bytes)))
}
