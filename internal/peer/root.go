//go:build unix && !aix

package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// makeRoot publishes a complete root. Losing that race is no error.
func (p *peer) makeRoot() error {
	prefix := p.root + ".candidate-"
	dir := prefix + p.newID()
	if err := os.Mkdir(dir, 0o777); err != nil {
		return fatal{err}
	}
	err := os.Mkdir(dir+"/retired", 0o777)
	if err == nil {
		err = os.WriteFile(dir+"/protocol-v3", []byte(p.format+"\n"), 0o666)
	}
	if err == nil {
		if err = unix.Rename(dir, p.root); err == nil {
			return nil
		}
	}
	discard(dir, prefix+p.newID())
	if isTaken(err) {
		return nil
	}
	return err
}

// checkMarker compares the marker byte for byte.
func (p *peer) checkMarker() error {
	fd, err := openDir(p.root)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	b, err := readAt(fd, "protocol-v3")
	if isAbsent(err) {
		return fatalf("%s has no marker: not a lock root", p.root)
	}
	if err != nil {
		return err
	}
	if string(b) != p.format+"\n" {
		return fatalf("%s has the marker %q, wanted %q", p.root, b, p.format+"\n")
	}
	return nil
}

// view is one look at current, through a handle that stays with the directory
// wherever it is moved.
type view struct {
	fd         int
	at         dirID
	generation string // empty when the directory is empty
}

func (v *view) close() { unix.Close(v.fd) }

var errUnclear = errors.New("current is neither empty nor has a readable generation")

// look returns nil when there is no current. A generation that cannot be read
// is an error only if it stays so: the directory may just have been retired
// and be on its way out.
func (p *peer) look() (*view, error) {
	fd, err := openDir(p.root + "/current")
	if isAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v := &view{fd: fd}
	if v.at, err = identify(fd); err != nil {
		v.close()
		return nil, err
	}
	id, err := readTrimmed(fd, "generation")
	if isAbsent(err) {
		if empty, err := isEmpty(fd); err == nil && empty {
			return v, nil
		}
		err = errUnclear
	} else if err == nil && !isHex(id, 32) {
		err = errUnclear
	}
	if err != nil {
		v.close()
		return nil, err
	}
	v.generation = id
	return v, nil
}

// isCurrent looks up the path anew and compares directory and generation.
func (p *peer) isCurrent(generation string, at dirID) bool {
	return p.isAt(p.root+"/current", generation, at)
}

func (p *peer) isAt(path, generation string, at dirID) bool {
	fd, err := openDir(path)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	got, err := identify(fd)
	if err != nil || got != at {
		return false
	}
	id, err := readTrimmed(fd, "generation")
	return err == nil && id == generation
}
