package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/observer"
)

// missingError: what an operand names is not there. Most likely it is mistyped, and to
// say that nothing was found would pass for good news.
type missingError struct{ what string }

func (e *missingError) Error() string        { return e.what }
func (e *missingError) Is(target error) bool { return target == fs.ErrNotExist }

// missing is the error for a target at which, and beside which, nothing stands. It is
// asked for when nothing was found: a lock that is gone may have left something.
func missing(t operate.Target) error {
	if t.Nothing(context.Background()) {
		return &missingError{"there is neither a lock nor a directory " + t.Path}
	}
	return nil
}

// missingDirectoryOf is the error about a lock that cannot be there, since its directory
// is not. Where that is, a lock that was never held is free.
func missingDirectoryOf(seen *observer.Observation) error {
	dir := filepath.Dir(seen.Lock)
	if seen.State != observer.Free {
		return nil
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &missingError{"there is no such directory: " + dir}
}
