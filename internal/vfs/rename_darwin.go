package vfs

import "golang.org/x/sys/unix"

const renameSwap = 0x2 // RENAME_SWAP, which x/sys does not name

func renameAt(from int, oldname string, to int, newname string, how RenameFlag) error {
	switch how {
	case NoReplace:
		return unix.RenameatxNp(from, oldname, to, newname, unix.RENAME_EXCL)
	case Exchange:
		return unix.RenameatxNp(from, oldname, to, newname, renameSwap)
	}
	return unix.Renameat(from, oldname, to, newname)
}
