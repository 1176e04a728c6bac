//go:build unix && !aix

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a failure may repeat before it counts as more than a lost race.
const patience = 10 * time.Second

// peer is one client of one lock.
type peer struct {
	root, format string
	careful      bool
	hostname     string // what our records say
	bareHost     string // what the system says
	pid          int64
	self         process
	mode         uint32 // permissions of the root
	reclaimed    int

	// The foreign style's last claim. It stays on disk; only the newest one matters here.
	claimed   string
	confirmed bool
}

// fatal marks an error that waiting cannot mend.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

func fatalf(format string, a ...any) error { return fatal{fmt.Errorf(format, a...)} }

// tenure is our own generation, first as a candidate and then as current.
type tenure struct {
	generation, nonce string
	dir               string
	at                dirID
	witness           int
}

func newPeer(lock, format string, careful bool) (*peer, error) {
	lock, err := filepath.Abs(lock)
	if err != nil {
		return nil, err
	}
	if len(filepath.Base(lock)) > 200 {
		return nil, errors.New("the base name of the lock is longer than 200 bytes")
	}
	p := &peer{root: lock + ".v3", format: format, careful: careful, pid: int64(os.Getpid())}
	return p, p.identifySelf()
}

// acquire returns when a generation of ours is current. Until then it only
// looks, every few milliseconds; the candidate is made at the first look that
// finds the place free, and kept for the next one if somebody else was faster.
func (p *peer) acquire() (*tenure, error) {
	var t *tenure
	var trouble time.Time
	for {
		held, err := p.step(&t)
		var f fatal
		switch {
		case held:
			return t, nil
		case errors.As(err, &f):
			return nil, err
		case err == nil:
			trouble = time.Time{}
		case trouble.IsZero():
			trouble = time.Now()
		case time.Since(trouble) > patience:
			return nil, err
		}
		time.Sleep(time.Millisecond + rand.N(4*time.Millisecond))
	}
}

// step looks once and does what the look allows.
func (p *peer) step(t **tenure) (bool, error) {
	if err := p.ensureRoot(); err != nil {
		return false, err
	}
	v, err := p.look()
	if err != nil {
		return false, err
	}
	if v != nil {
		defer v.close()
		if v.generation != "" {
			reclaimed, err := p.consider(v)
			if reclaimed {
				p.reclaimed++
			}
			if !reclaimed || err != nil {
				return false, err
			}
		} else {
			// An empty current holds nothing, and rmdir cannot remove
			// anything that does. Whatever it answers, try to publish.
			unix.Rmdir(p.root + "/current")
		}
	}
	if *t == nil {
		if *t, err = p.prepare(); err != nil {
			return false, err
		}
	}
	return p.publish(t)
}

// prepare makes a complete generation beside the place it is meant for.
func (p *peer) prepare() (*tenure, error) {
	id := p.newID()
	t := &tenure{generation: id, nonce: p.newID(), dir: p.root + "/candidate-" + id, witness: -1}
	if err := p.mkdir(t.dir); err != nil {
		return nil, err
	}
	fd, err := openDir(t.dir)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if t.at, err = identify(fd); err == nil {
		t.witness, err = p.writeRecord(t.dir, id, id, t.nonce)
	}
	if err == nil {
		err = p.writeFile(t.dir+"/generation", []byte(id+"\n"))
	}
	if err != nil {
		discard(t.dir, p.root+"/candidate-"+p.newID())
		closeFD(t.witness)
		return nil, err
	}
	return t, nil
}

// publish is the one rename that decides who holds. It clears *t when the
// candidate cannot be used again.
func (p *peer) publish(t **tenure) (bool, error) {
	root, err := os.Lstat(p.root)
	if err != nil {
		return false, err
	}
	c := *t
	err = unix.Rename(c.dir, p.root+"/current")
	if isTaken(err) {
		return false, nil
	}
	if err != nil {
		// It may have happened although it failed. Moving the candidate to
		// another name settles that: it was not published, and will not be.
		away := p.root + "/candidate-" + p.newID()
		if unix.Rename(c.dir, away) == nil {
			c.dir = away
			return false, err
		}
	}
	// Success counts only if the path still leads to what was published.
	if p.isCurrent(c.generation, c.at) {
		return true, nil
	}
	now, lost := os.Lstat(p.root)
	if err == nil && lost == nil && os.SameFile(root, now) {
		return false, fatalf("%s was published and is not current", c.generation)
	}
	closeFD(c.witness)
	*t = nil
	return false, err
}

// ensureRoot makes the root if it is absent, and refuses anything else that
// stands in its place.
func (p *peer) ensureRoot() error {
	fi, err := os.Lstat(p.root)
	if isAbsent(err) {
		if err := p.makeRoot(); err != nil {
			return err
		}
		fi, err = os.Lstat(p.root)
	}
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return fatalf("%s is not a lock root", p.root)
	}
	p.mode = uint32(fi.Mode().Perm())
	return p.checkMarker()
}
