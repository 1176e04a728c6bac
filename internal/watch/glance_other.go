//go:build !linux

package watch

import (
	"time"

	"genlock.dev/genlock/internal/vfs"
)

func quickState(root vfs.Dir, _ vfs.Kind) (vfs.ID, time.Time, error) { return state(root) }

func quickBusy(witness vfs.File, _ vfs.Kind) bool { return busy(witness) }
