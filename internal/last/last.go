// Package last writes last.json, the note about the last failed or broken tenure.
package last

import (
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Write replaces last.json as a whole. It is prepared in dir, the directory of the
// generation it is about, so that a crash leaves nothing of its own behind.
func Write(r *tree.Root, dir vfs.Dir, l *protocol.Last) error {
	l.Schema, l.Time = protocol.Schema, r.Env.Clock.Now().UTC()
	data, err := l.Encode()
	if err != nil {
		return err
	}
	if err := dir.Remove(protocol.LastName); err != nil && !vfs.IsVanished(err) {
		return err
	}
	if err := vfs.WriteFile(dir, protocol.LastName, data, r.FileMode()); err != nil {
		return err
	}
	return dir.Rename(protocol.LastName, r.Dir, protocol.LastName, vfs.Plain)
}
