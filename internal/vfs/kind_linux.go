package vfs

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// kinds names the file systems whose behaviour is known. "local" is the positive
// list of the contract.
var kinds = map[uint32]Kind{
	unix.EXT4_SUPER_MAGIC:      {"ext4", true}, // ext2, ext3 and ext4 share it
	unix.XFS_SUPER_MAGIC:       {"xfs", true},
	unix.BTRFS_SUPER_MAGIC:     {"btrfs", true},
	0x2fc12fc1:                 {"zfs", true},
	unix.F2FS_SUPER_MAGIC:      {"f2fs", true},
	unix.TMPFS_MAGIC:           {"tmpfs", true},
	unix.OVERLAYFS_SUPER_MAGIC: {"overlay", true},
	0x5346544e:                 {"ntfs", true},
	0x7366746e:                 {"ntfs", true}, // ntfs3
	unix.NFS_SUPER_MAGIC:       {"nfs", false},
	unix.FUSE_SUPER_MAGIC:      {"fuse", false},
	unix.SMB2_SUPER_MAGIC:      {"smb", false},
	unix.CIFS_SUPER_MAGIC:      {"cifs", false},
	unix.V9FS_MAGIC:            {"9p", false},
	unix.CEPH_SUPER_MAGIC:      {"ceph", false},
	unix.AFS_SUPER_MAGIC:       {"afs", false},
}

func (d *osDir) Kind() (Kind, error) {
	var st unix.Statfs_t
	if err := ignoringEINTR(func() error { return unix.Fstatfs(d.fd, &st) }); err != nil {
		return Kind{}, pathError("statfs", d.path, err)
	}
	magic := uint32(st.Type)
	if kind, ok := kinds[magic]; ok {
		return kind, nil
	}
	return Kind{Name: "0x" + strconv.FormatUint(uint64(magic), 16)}, nil
}
