//go:build unix && !aix

package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// releaseBudget is how long a retirement of our own is retried.
const releaseBudget = 15 * time.Second

// errNotCurrent says that somebody else retired the generation first.
var errNotCurrent = errors.New("the generation is not current")

// retire moves one exact generation from current to its tombstone. The
// tombstone is the fence: while it exists the rename fails. The careful style
// looks right before, for the sake of directories deleted by hand; the foreign
// one relies on the fence. Both compare afterwards what was moved.
func (p *peer) retire(generation string, at dirID) error {
	current, tomb := p.root+"/current", p.root+"/retired/"+generation
	if p.careful && !p.isCurrent(generation, at) {
		return errNotCurrent
	}
	err := unix.Rename(current, tomb)
	if isTaken(err) || isAbsent(err) {
		return errNotCurrent
	}
	if err != nil {
		return err
	}
	if p.isAt(tomb, generation, at) {
		return nil
	}
	// A rename of a directory replaces at most an empty one, and an empty
	// current holds nothing: putting it back cannot hurt anybody.
	back := unix.Rename(tomb, current)
	return fatalf("the retirement of %s moved something else (put back: %v)", generation, back == nil)
}

// release ends our tenure: retire, look for claims, then delete the tombstone
// or mark it complete, and close the witness last. Closing it first would let a
// reclaimer in, whose successor a late rename of ours could displace.
func (p *peer) release(t *tenure) error {
	begin := time.Now()
	for {
		err := p.retire(t.generation, t.at)
		if err == nil {
			break
		}
		if errors.Is(err, errNotCurrent) && !p.isCurrent(t.generation, t.at) {
			return p.lost(t)
		}
		var f fatal
		if errors.As(err, &f) {
			return err
		}
		if time.Since(begin) > releaseBudget {
			return errors.Join(err, p.fallBack(t))
		}
		time.Sleep(5 * time.Millisecond)
	}
	tomb := p.root + "/retired/" + t.generation
	// Claims can land until the retirement, so only now the answer is final:
	// what lands after this rmdir was never confirmed and authorises nothing.
	err := unix.Rmdir(tomb + "/observers")
	if err == nil || isAbsent(err) {
		err = discard(tomb, p.root+"/candidate-"+p.newID())
	} else {
		err = p.complete(tomb, t.nonce)
	}
	if err != nil {
		return fmt.Errorf("finishing the tombstone: %w", err)
	}
	closeFD(t.witness)
	return nil
}

// lost reports that a live holder was displaced. The tombstone is marked all
// the same, so that it can be collected; nothing of the successor is touched.
func (p *peer) lost(t *tenure) error {
	err := p.complete(p.root+"/retired/"+t.generation, t.nonce)
	closeFD(t.witness)
	return fmt.Errorf("lost: taken away while it was held (tombstone marked: %v)", err == nil)
}

// fallBack declares the generation finished where it stands, with one rename
// that needs no space. The witness keeps its lock until this process ends.
func (p *peer) fallBack(t *tenure) error {
	if t.witness < 0 || !p.isCurrent(t.generation, t.at) {
		return nil
	}
	current := p.root + "/current/"
	name := witnessName(t.generation, string(p.self.Machine), string(p.self.Boot))
	return unix.Rename(current+name, current+"task-complete")
}

// complete renames the completion into a tombstone. It is prepared in a
// candidate of its own, so that no name unknown to the contract appears.
func (p *peer) complete(tomb, nonce string) error {
	dir := p.root + "/candidate-" + p.newID()
	if err := p.mkdir(dir); err != nil {
		return err
	}
	err := p.writeFile(dir+"/task-complete", []byte(nonce+"\n"))
	if err == nil {
		err = unix.Rename(dir+"/task-complete", tomb+"/task-complete")
	}
	if err != nil {
		discard(dir, p.root+"/candidate-"+p.newID())
		return err
	}
	return os.Remove(dir)
}
