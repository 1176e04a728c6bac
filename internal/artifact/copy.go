package artifact

import (
	"context"
	"io"
	"slices"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// copier copies a tree from one staging to another. Files and directories are
// reached through handles; nothing in the tree is followed.
type copier struct {
	ctx   context.Context
	links linker
	buf   []byte
}

// entry copies name. The caller deletes what an error leaves.
func (c *copier) entry(from, to place, name string) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	info, err := from.dir.Lstat(name)
	if err != nil {
		return err
	}
	switch {
	case info.IsRegular():
		return c.file(from, to, name)
	case info.IsDir():
		return c.tree(from, to, name, info)
	case isLink(info):
		return c.link(from, to, name)
	}
	return &protocol.UnsafeError{Path: from.join(name), Mode: info.Mode, Want: "a file, a directory or a link"}
}

func (c *copier) file(from, to place, name string) error {
	src, err := from.dir.Open(name, vfs.Read, 0)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := to.dir.Open(name, vfs.Create, 0o600)
	if err != nil {
		return err
	}
	if c.buf == nil {
		c.buf = make([]byte, 256<<10)
	}
	_, err = io.CopyBuffer(dst, untilDone{c.ctx, src}, c.buf)
	if err == nil {
		err = dst.Chmod(info.Mode) // last: writing clears set-id bits
	}
	if cerr := dst.Close(); err == nil {
		err = cerr
	}
	return err
}

func (c *copier) tree(from, to place, name string, info vfs.Info) error {
	from, err := below(from, name)
	if err != nil {
		return err
	}
	defer from.dir.Close()
	if err := to.dir.Mkdir(name, 0o700); err != nil {
		return err
	}
	to, err = below(to, name)
	if err != nil {
		return err
	}
	defer to.dir.Close()
	names, err := from.dir.Names(0)
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if err := c.entry(from, to, name); err != nil {
			return err
		}
	}
	return to.dir.Chmod(info.Mode) // last: it may forbid writing
}

func below(p place, name string) (place, error) {
	d, err := p.dir.OpenDir(name)
	return place{path: p.join(name), dir: d}, err
}

// untilDone reads until its context ends.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (r untilDone) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}
