package lab

import (
	"errors"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// Acts: what the process of a verb does. See verbs.

func acquire(s *scene) (err error) {
	s.lease, err = s.lock().TryAcquire(s.a.ctx)
	return err
}

func wait(s *scene) (err error) {
	s.lease, err = s.w.lock(genlock.Options{Wait: time.Minute}).Acquire(s.a.ctx)
	return err
}

func release(s *scene) error {
	lease := s.lease
	s.lease = nil
	return lease.Release()
}

func turn(s *scene) error { return s.w.turn(s.a) }

// turnAndRest is a turn, after which a is idle for a moment.
func turnAndRest(s *scene) error {
	err := s.w.turn(s.a)
	s.a.env.CloseKept()
	return err
}

func publish(path string, replace bool) func(*scene) error {
	return func(s *scene) error {
		lease, err := s.w.lock(genlock.Options{Fsync: s.durable}).TryAcquire(s.a.ctx)
		if err != nil {
			return err
		}
		// A second try replaces what a first one may have published.
		a := genlock.Artifact{Path: path, Replace: replace || s.w.exists(path)}
		out, err := lease.Stage(a)
		if err == nil {
			err = s.build(out, "new")
		}
		if err == nil {
			err = lease.Publish(s.a.ctx, a)
		}
		return errors.Join(err, lease.Release())
	}
}

func fail(s *scene) error {
	lease, err := s.lock().TryAcquire(s.a.ctx)
	if err != nil {
		return err
	}
	s.id = lease.Generation()
	return errors.Join(lease.Failed(3, "it broke"), lease.Release())
}

func breakOther(s *scene) error { return breakAs(s, s.a, s.id) }

func breakAs(s *scene, p *process, id protocol.ID) error {
	root, err := fence.Open(p.ctx, lockPath, s.w.format)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := fence.Claim(p.ctx, root, id)
	if err != nil {
		return err
	}
	err = retire.Break(p.ctx, f, retire.Word{By: "operator", Reason: "test", Quarantined: true})
	err = errors.Join(err, f.Withdraw())
	_, berr := retire.Bury(p.ctx, root, id)
	return errors.Join(err, berr)
}

func collect(s *scene) error {
	root, err := fence.Open(s.a.ctx, lockPath, s.w.format)
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = retire.Collect(s.a.ctx, root, 0)
	return err
}

func status(s *scene) error {
	s.seen = nil
	seen, err := s.lock().Status(s.a.ctx)
	if err == nil {
		s.seen = seen
		if seen.Old != nil && seen.Old.PID == 0 {
			return &told{path: seen.Old.Path, text: seen.Old.Why}
		}
	}
	return err
}

// told is what somebody was told in words could not be looked at.
type told struct{ path, text string }

func (t *told) Error() string { return t.path + ": " + t.text }
