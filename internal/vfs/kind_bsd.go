//go:build darwin || freebsd

package vfs

import "golang.org/x/sys/unix"

var localKinds = map[string]bool{"apfs": true, "hfs": false, "ufs": true, "zfs": true, "tmpfs": true}

func (d *osDir) Kind() (Kind, error) {
	var st unix.Statfs_t
	if err := ignoringEINTR(func() error { return unix.Fstatfs(d.fd, &st) }); err != nil {
		return Kind{}, pathError("statfs", d.path, err)
	}
	name := unix.ByteSliceToString(typeName(&st))
	return Kind{Name: name, Local: localKinds[name] && st.Flags&unix.MNT_LOCAL != 0}, nil
}

func typeName(st *unix.Statfs_t) []byte {
	name := make([]byte, 0, len(st.Fstypename))
	for _, c := range st.Fstypename {
		name = append(name, byte(c))
	}
	return name
}
