//go:build !linux && !darwin && !freebsd

package watch

import (
	"errors"

	"genlock.dev/genlock/internal/vfs"
)

// Nothing wakes a waiter here: New returns nil, and callers poll.
const supported = false

func duplicate(uintptr) (int, error) { return 0, errors.ErrUnsupported }

func closeDescriptor(int) {}

func flock(int, vfs.LockMode) error { return errors.ErrUnsupported }

func watchMoves(vfs.Dir) (*source, error) { return nil, errors.ErrUnsupported }

func watchExit(int) (*source, error) { return nil, errors.ErrUnsupported }
