package tree

import (
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Last reads the last failed or broken tenure; nil when none is recorded or it
// cannot be read: it only informs.
func (r *Root) Last() *protocol.Last {
	data, err := vfs.ReadFile(r.Dir, protocol.LastName, protocol.MaxRecord)
	if err != nil {
		return nil
	}
	last, ok := protocol.ParseLast(data)
	if !ok {
		return nil
	}
	return last
}
