package vfs

import (
	"errors"
	"io/fs"
)

// maxDepth bounds how deep RemoveAll descends with open handles. A staged
// artifact that is deeper is reported, not half followed.
const maxDepth = 512

// removeTries bounds how often a directory is cleared that is never found empty.
const removeTries = 8

// RemoveAll deletes name below d and everything in it through handles, never
// through a path, and follows no link. Names in last are deleted after the
// others of the top directory: a witness goes last, so that what a crashed
// deleter leaves can still be judged. A name that is not there is no error.
//
// The caller must already own the name: only whoever's rename brought it here
// deletes it (rule 8).
func RemoveAll(d Dir, name string, last func(string) bool) error {
	return removeAll(d, name, last, maxDepth)
}

func removeAll(d Dir, name string, last func(string) bool, depth int) error {
	if depth == 0 {
		return pathError("remove", join(d.Path(), name), errors.New("directory is nested too deeply"))
	}
	// A late claimant may create through its own handle while we delete. Only the
	// directory in which that happened is looked at anew: what a directory below
	// came to is final, or the tries would multiply with the depth.
	var err error
	for range removeTries {
		var cleared bool
		if cleared, err = removeDir(d, name, last, depth); !cleared || !IsNotEmpty(err) {
			return err
		}
	}
	return err
}

// removeDir reports whether everything in the directory could be deleted.
func removeDir(d Dir, name string, last func(string) bool, depth int) (cleared bool, err error) {
	sub, err := d.OpenDir(name)
	if err != nil {
		if IsNotDir(err) {
			return true, missingIsFine(d.Remove(name))
		}
		return false, missingIsFine(err)
	}
	err = clearDir(sub, last, depth)
	if errors.Is(err, fs.ErrPermission) && sub.Chmod(0o700) == nil {
		// Builds leave read-only directories, the module cache among them.
		err = clearDir(sub, last, depth)
	}
	if cerr := sub.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return false, err
	}
	return true, missingIsFine(d.Rmdir(name))
}

func clearDir(d Dir, last func(string) bool, depth int) error {
	names, err := d.Names(0)
	if err != nil {
		return missingIsFine(err)
	}
	var first error
	for pass := range 2 {
		for _, name := range names {
			if (last != nil && last(name)) != (pass == 1) {
				continue
			}
			if err := removeEntry(d, name, depth-1); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

func removeEntry(d Dir, name string, depth int) error {
	err := d.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, serr := d.Lstat(name)
	if serr != nil {
		return missingIsFine(serr)
	}
	if !info.IsDir() {
		return err
	}
	return removeAll(d, name, nil, depth)
}

func missingIsFine(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
