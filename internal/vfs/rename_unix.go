//go:build unix && !linux && !darwin

package vfs

import "golang.org/x/sys/unix"

// These systems cannot rename without replacing, nor exchange: the caller falls
// back to what its rule allows, or refuses.
func renameAt(from int, oldname string, to int, newname string, how RenameFlag) error {
	if how != Plain {
		return unix.ENOTSUP
	}
	return unix.Renameat(from, oldname, to, newname)
}
