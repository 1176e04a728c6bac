package vfs

import (
	"errors"
	"syscall"
)

// Again looks, and looks again a few times as long as the answer is ESTALE: of a
// name that changed hands a moment ago a network file system says so, and it is
// no reason to believe that nothing is there (rule 9). An ESTALE that stays is
// that of a directory that was deleted: IsVanished holds for it.
func Again(look func() error) error {
	const most = 4
	var err error
	for range most {
		if err = look(); !errors.Is(err, syscall.ESTALE) {
			break
		}
	}
	return err
}
