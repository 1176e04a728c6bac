package vfs

import "path/filepath"

// join is filepath.Join without cleaning: a Dir's path is already clean and a
// name is a single element.
func join(dir, name string) string {
	if n := len(dir); n > 0 && dir[n-1] == filepath.Separator {
		return dir + name
	}
	return dir + string(filepath.Separator) + name
}
