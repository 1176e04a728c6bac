package vfs

import "golang.org/x/sys/unix"

func renameAt(from int, oldname string, to int, newname string, how RenameFlag) error {
	switch how {
	case NoReplace:
		return unix.Renameat2(from, oldname, to, newname, unix.RENAME_NOREPLACE)
	case Exchange:
		return unix.Renameat2(from, oldname, to, newname, unix.RENAME_EXCHANGE)
	}
	return unix.Renameat(from, oldname, to, newname)
}
