package legacy

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/tomb"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// fate is what becomes of a name that a collection meets.
type fate int

const (
	// stays: it is not a dialect's, or somebody may still act on it.
	stays fate = iota
	// byAge: the rest of a crashed attempt, once it is an hour old. It never
	// was a lock, so that its age may decide.
	byAge
	// byWord: a tombstone, on the operator's word.
	byWord
	// goes: nobody can act on it.
	goes
	// foreign: not for this collector to mention.
	foreign
)

// collector goes through one directory for one lock.
type collector struct {
	env  *env.Env
	at   Place
	base string
	dir  vfs.Dir
	word Word
	done Collected
}

// collectBeside goes through the names beside L.
func collectBeside(ctx context.Context, at Place, word Word, decide func(*collector, string) fate) (Collected, error) {
	e := env.From(ctx)
	parent, err := e.FS.OpenParent(filepath.Dir(at.Lock))
	if err != nil {
		return Collected{}, missingIsFine(err)
	}
	defer parent.Close()
	c := &collector{env: e, at: at, base: filepath.Base(at.Lock), dir: parent, word: word}
	err = c.run(ctx, decide)
	return c.done, err
}

func (c *collector) run(ctx context.Context, decide func(*collector, string) fate) error {
	names, err := c.dir.Names(0)
	if err != nil {
		return missingIsFine(err)
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		f := decide(c, name)
		if f == foreign {
			continue
		}
		gone, rerr := c.settle(name, f)
		err = errors.Join(err, rerr)
		path := filepath.Join(c.dir.Path(), name)
		if gone {
			c.done.Removed = append(c.done.Removed, path)
		} else {
			c.done.Kept = append(c.done.Kept, path)
		}
	}
	return err
}

// settle removes name if its fate allows, by renaming it to a fresh name first:
// only whoever's rename succeeded deletes (rule 8).
func (c *collector) settle(name string, f fate) (gone bool, err error) {
	switch f {
	case byAge:
		info, err := c.dir.Lstat(name)
		if err != nil {
			return absent(err), missingIsFine(err)
		}
		if c.env.Clock.Now().Sub(info.ModTime) <= tomb.LitterAge {
			return false, nil
		}
	case byWord:
		if !c.word.Extinct {
			return false, nil
		}
	case goes:
	default:
		return false, nil
	}
	if only, err := litterAt(c.dir, name); err != nil || !only {
		return false, err
	}
	if c.word.DryRun {
		return true, nil
	}
	id, err := c.env.NewID()
	if err != nil {
		return false, err
	}
	fresh := holdName(c.base, id)
	if err := c.dir.Rename(name, c.dir, fresh, vfs.Plain); err != nil {
		return absent(err), missingIsFine(err)
	}
	return true, discardLock(c.dir, fresh)
}

// ownLitter decides about what genlock itself leaves beside L in hold mode.
func (c *collector) ownLitter(name string) fate {
	id, ok := cutID(name, c.base+holdSuffix)
	switch {
	case strings.HasPrefix(name, probePrefix):
		return byAge
	case !ok:
		return foreign
	case id == c.at.Mine:
		return stays
	}
	return byAge
}

func cutID(name, prefix string) (protocol.ID, bool) {
	s, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return "", false
	}
	return protocol.ParseID(s)
}

func hasID(name, prefix string) bool {
	_, ok := cutID(name, prefix)
	return ok
}

// Collect removes crashed attempts and, on the operator's word that no v2 program
// lives, the tombstones.
func (v2) Collect(ctx context.Context, at Place, word Word) (Collected, error) {
	all, err := collectBeside(ctx, at, word, func(c *collector, name string) fate {
		if hasID(name, c.base+v2Suffix+"."+protocol.CandidateName("")) {
			return byAge
		}
		return c.ownLitter(name) // also what a collector that died has renamed
	})
	r, rerr := openV2(ctx, at)
	if r == nil || rerr != nil {
		return all, errors.Join(err, rerr)
	}
	defer r.Close()
	c := &collector{env: r.Env, at: at, base: filepath.Base(at.Lock), dir: r.Dir, word: word}
	err = errors.Join(err, c.run(ctx, func(c *collector, name string) fate {
		if _, ok := protocol.ParseCandidateName(name); ok {
			return byAge
		}
		return c.ownLitter(name)
	}))
	if retired, rerr := r.Retired(); rerr == nil && retired != nil {
		defer retired.Close()
		c.dir = retired
		err = errors.Join(err, c.run(ctx, func(c *collector, name string) fate {
			if _, ok := protocol.ParseID(name); ok {
				return byWord
			}
			return c.ownLitter(name)
		}))
	}
	all.Removed, all.Kept = append(all.Removed, c.done.Removed...), append(all.Kept, c.done.Kept...)
	return all, err
}

// Collect removes quarantines whose owner cannot act any more: those without a
// record at once, as its own programs do.
func (d token) Collect(ctx context.Context, at Place, word Word) (Collected, error) {
	return collectBeside(ctx, at, word, func(c *collector, name string) fate {
		if !isQuarantine(name, c.base) {
			return c.ownLitter(name)
		}
		dir, err := c.dir.OpenDir(name)
		if err != nil {
			return stays
		}
		s := &slot{env: c.env, at: at, parent: c.dir, base: name, dir: dir}
		defer dir.Close()
		if s.info, err = dir.Stat(); err == nil {
			s.kind, err = dir.Kind()
		}
		if err != nil {
			return stays
		}
		return d.fate(ctx, s)
	})
}

func (d token) fate(ctx context.Context, s *slot) fate {
	ids, err := identities(s.dir)
	if err != nil {
		return stays
	}
	for _, id := range ids {
		if v, err := d.weigh(ctx, s, id); err != nil || !v.spent() {
			return stays
		}
	}
	return goes
}
