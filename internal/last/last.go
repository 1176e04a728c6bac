// Package last writes last.json, the note about the last failed or broken tenure.
package last

import (
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Write replaces last.json as a whole. It is prepared in dir, the directory of the
// generation it is about, so that a crash leaves nothing of its own behind, and
// under a name of its own, since the holder and who breaks it may write at once.
func Write(r *tree.Root, dir vfs.Dir, l *protocol.Last) error {
	l.Schema, l.Time = protocol.Schema, r.Env.Clock.Now().UTC()
	data, err := l.Encode()
	if err != nil {
		return err
	}
	id, err := r.Env.NewID()
	if err != nil {
		return err
	}
	name := protocol.LastName + "." + string(id)
	err = vfs.WriteFile(dir, name, data, r.FileMode())
	if err == nil {
		err = dir.Rename(name, r.Dir, protocol.LastName, vfs.Plain)
	}
	if err != nil {
		dir.Remove(name)
	}
	return err
}
