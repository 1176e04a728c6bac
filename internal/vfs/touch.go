package vfs

import (
	"errors"
	"time"
)

// Toucher is implemented by directories whose modification time can be set.
type Toucher interface {
	// Touch sets the modification time of the directory itself, through the
	// handle: it can never touch a successor at the same path.
	Touch(t time.Time) error
}

// Touch sets the modification time of d; an error for which IsUnsupported holds
// where that cannot be done through a handle.
func Touch(d Dir, t time.Time) error {
	if to, ok := d.(Toucher); ok {
		return to.Touch(t)
	}
	return pathError("touch", d.Path(), errors.ErrUnsupported)
}
