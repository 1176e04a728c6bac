package operate

import (
	"fmt"
	"io/fs"

	"genlock.dev/genlock/internal/vfs"
)

// permissions tells about a root in which others cannot retire a generation,
// although they may make locks beside it (rule 13): then a crash of its owner
// wedges the lock for everybody else.
func (d *doctor) permissions(p place, root vfs.Info) error {
	parent, what, mend := p.dir.info, "", ""
	path := quote(p.dir.at(p.name))
	everybody := parent.Mode.Perm()&0o002 != 0 && parent.Mode&fs.ModeSticky == 0
	switch groups := parent.Mode.Perm()&0o020 != 0; {
	case everybody && root.Mode.Perm()&0o007 != 0o007:
		what, mend = "everybody", "chmod -R a+rwX "+path
	case !groups || everybody:
		return nil
	case root.GID != parent.GID:
		what, mend = "the group", fmt.Sprintf("chgrp -R %d %s && chmod -R g+rwX %s", parent.GID, path, path)
	case root.Mode.Perm()&0o070 != 0o070:
		what, mend = "the group", "chmod -R g+rwX "+path
	default:
		return nil
	}
	return d.found(Finding{Kind: "permissions", Lock: p.lock, Path: p.dir.at(p.name), Mend: mend,
		What: what + " shares this cache and cannot take over this lock when its holder has crashed",
		Evidence: fmt.Sprintf("the cache has mode %s and group %d, the lock's directory mode %s and group %d, owner %d",
			parent.Mode, parent.GID, root.Mode, root.GID, root.UID),
		Ignore: "only if nobody but its owner uses the lock"})
}

// readableAgain is how an owner lets others look.
func (d *doctor) readableAgain(path string, p place) string {
	info, err := p.dir.Lstat(p.name)
	if err != nil {
		return "ls -ld " + quote(path)
	}
	return fmt.Sprintf("as its owner (user %d): chmod -R g+rwX %s", info.UID, quote(path))
}
