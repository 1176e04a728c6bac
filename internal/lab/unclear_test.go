package lab

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// noAnswer loses the answer to every retirement.
func noAnswer(op faultfs.Op) error {
	if op.Verb == faultfs.Rename && strings.Contains(op.To, "/retired/") {
		return syscall.EIO
	}
	return nil
}

// TestUnclearRelease: on a network file system a retirement without an answer may
// still happen. The holder says so, and nobody comes before it has ended.
func TestUnclearRelease(t *testing.T) {
	w := newWorld(network, protocol.Genlock)
	p, other := w.process(), w.process()
	s := &scene{w: w}
	lease := s.take(p)
	err := p.under(noAnswer, lease.Release)
	if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "cannot tell whether") {
		t.Errorf("the release says %v", err)
	}
	if w.turn(other) == nil || w.currentID() != s.id {
		t.Error("somebody took the lock while a rename for it may still arrive")
	}
	p.kill()
	if err := w.turn(other); err != nil {
		t.Errorf("after the holder's end: %v", err)
	}
}

// TestUnclearReclaim: the same for a reclaimer, whose claim stays open.
func TestUnclearReclaim(t *testing.T) {
	s := newScene(verb{prepare: abandoned}, network)
	root := s.w.open(s.a)
	f, err := fence.Claim(s.a.ctx, root, s.id)
	must(err)
	err = s.a.under(noAnswer, func() error {
		_, err := retire.Reclaim(s.a.ctx, f)
		return err
	})
	if !errors.Is(err, syscall.EIO) {
		t.Errorf("reclaiming says %v", err)
	}
	if err := f.Withdraw(); err != nil {
		t.Error(err)
	}
	p := s.w.process()
	if err := s.w.turn(p); err != nil {
		t.Errorf("another reclaimer: %v", err)
	}
	if left, err := s.w.leftovers(p); err != nil || len(left) == 0 {
		t.Errorf("the tombstone is gone although a rename onto it may still arrive: %v", err)
	}
	s.close()
	if left, err := s.w.leftovers(p); err != nil || len(left) > 0 {
		t.Errorf("after the reclaimer's end: %v, %v", left, err)
	}
}
