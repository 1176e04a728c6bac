package vfs

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/windows"
)

// renamePath is the nearest thing to rename(2).
//
// A directory never replaces another one here, not even an empty one. It is
// done in two steps, rmdir and rename: between them the name is free, and
// whoever takes it first wins. Exchange does not exist.
func renamePath(from, to string, how RenameFlag) error {
	switch how {
	case Exchange:
		return errors.ErrUnsupported
	case NoReplace:
		return move(from, to, 0)
	}
	info, err := statPath(from, noFollow)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		err := move(from, to, windows.MOVEFILE_REPLACE_EXISTING)
		return betterReason(err, to, true, syscall.EISDIR)
	}
	err = move(from, to, 0)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := betterReason(err, to, false, syscall.ENOTDIR); errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	if err := deleteDir(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return move(from, to, 0)
}

// betterReason says instead of err that to is a directory, or that it is none,
// when that is so.
func betterReason(err error, to string, isDir bool, reason syscall.Errno) error {
	if err == nil {
		return nil
	}
	if info, serr := statPath(to, noFollow); serr == nil && info.IsDir() == isDir {
		return reason
	}
	return err
}

// move allows no copying: a rename to another volume fails.
func move(from, to string, flags uint32) error {
	f, err := wide(from)
	if err != nil {
		return err
	}
	t, err := wide(to)
	if err != nil {
		return err
	}
	return failure(windows.MoveFileEx(f, t, flags))
}

// deleteFile also takes away what is marked read-only, as unlink does.
func deleteFile(path string) error {
	p, err := wide(path)
	if err != nil {
		return err
	}
	err = failure(windows.DeleteFile(p))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	attributes, aerr := windows.GetFileAttributes(p)
	const link = windows.FILE_ATTRIBUTE_REPARSE_POINT | windows.FILE_ATTRIBUTE_DIRECTORY
	switch {
	case aerr != nil:
		return err
	case attributes&link == link: // the link, not the directory it leads to
		return failure(windows.RemoveDirectory(p))
	case attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0:
		return syscall.EISDIR
	case attributes&windows.FILE_ATTRIBUTE_READONLY == 0:
		return err
	}
	if windows.SetFileAttributes(p, attributes&^windows.FILE_ATTRIBUTE_READONLY) != nil {
		return err
	}
	return failure(windows.DeleteFile(p))
}

// deleteDir looks first, since RemoveDirectory would take a link away, too.
func deleteDir(path string) error {
	info, err := statPath(path, noFollow)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return syscall.ENOTDIR
	}
	p, err := wide(path)
	if err != nil {
		return err
	}
	return failure(windows.RemoveDirectory(p))
}
