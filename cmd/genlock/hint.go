package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// pasted is how a hint names the lock: so that it can be pasted into a shell, or L where
// it is about one of several.
func pasted(lock string) string {
	if lock == "" {
		return "L"
	}
	return observer.Quote(lock)
}

func missingDirectory(lock string) string {
	const hint = "a lock's directory has to exist"
	if lock == "" {
		return ""
	}
	dir := filepath.Dir(lock)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return hint
	}
	return hint + ": mkdir -p " + observer.Quote(dir)
}

// lookAt shows what stands in the way.
func lookAt(err error) string {
	if odd, ok := errors.AsType[*protocol.UnsafeError](err); ok {
		return ": ls -ld " + observer.Quote(odd.Path)
	}
	return ""
}

// quarantined is the generation that a guard binds.
func quarantined(err error) string {
	if q, ok := errors.AsType[*retire.QuarantinedError](err); ok {
		return string(q.Generation)
	}
	return "G"
}
