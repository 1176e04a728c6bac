package vfs

import (
	"os"
	"path/filepath"
)

// join is filepath.Join without cleaning: a Dir's path is already clean and a
// name is a single element.
func join(dir, name string) string {
	if n := len(dir); n > 0 && dir[n-1] == filepath.Separator {
		return dir + name
	}
	return dir + string(filepath.Separator) + name
}

// leaf cuts separators off the end of a path: "link/" would make the kernel
// follow the link.
func leaf(path string) string {
	end := len(path)
	for end > 1 && os.IsPathSeparator(path[end-1]) {
		end--
	}
	return path[:end]
}
