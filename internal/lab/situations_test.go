package lab

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// TestBreakNeedsAWordForGuards: what a guard binds is broken only on a further word.
func TestBreakNeedsAWordForGuards(t *testing.T) {
	for _, state := range []string{protocol.GuardPending, protocol.GuardUnknown} {
		s := newScene(verb{format: protocol.TTSC, prepare: guarded}, plain)
		must(s.w.disk.WriteFile(rootPath+"/"+protocol.GuardsName+"/"+plantedGuard.Name(), guardText(state)))
		root := s.w.open(s.a)
		f, err := fence.Claim(s.a.ctx, root, s.id)
		must(err)
		if _, err := retire.Reclaim(s.a.ctx, f); err == nil || s.w.currentID() != s.id {
			t.Errorf("%s: reclaimed, %v", state, err)
		}
		err = retire.Break(s.a.ctx, f, retire.Word{By: "me"})
		if !errors.Is(err, retire.ErrQuarantined) || !strings.Contains(err.Error(), "guard") || s.w.currentID() != s.id {
			t.Errorf("%s: %v", state, err)
		}
		err = retire.Break(s.a.ctx, f, retire.Word{By: "me", Quarantined: true})
		if err := errors.Join(err, f.Withdraw(), s.w.turn(s.a)); err != nil {
			t.Errorf("%s: %v", state, err)
		}
		root.Close()
		s.close()
	}
}

// TestSpentFence: a live holder is not reclaimed, and a claim that was withdrawn
// retires nothing any more.
func TestSpentFence(t *testing.T) {
	s := newScene(verb{prepare: heldByB}, plain)
	defer s.close()
	root := s.w.open(s.a)
	defer root.Close()
	if _, err := fence.Claim(s.a.ctx, root, idA); !errors.Is(err, fence.ErrMoved) {
		t.Errorf("claim on another generation: %v", err)
	}
	f, err := fence.Claim(s.a.ctx, root, s.id)
	must(err)
	var alive *retire.AliveError
	if _, err := retire.Reclaim(s.a.ctx, f); !errors.As(err, &alive) || !strings.Contains(err.Error(), "is alive: pid 1 runs") {
		t.Errorf("reclaiming a live one: %v", err)
	}
	if f.Generation() != s.id {
		t.Errorf("the fence is for %s", f.Generation())
	}
	if err := errors.Join(f.Withdraw(), f.Withdraw()); err != nil {
		t.Error(err)
	}
	if err := retire.Break(s.a.ctx, f, retire.Word{}); !errors.Is(err, fence.ErrMoved) {
		t.Errorf("breaking with a withdrawn claim: %v", err)
	}
	if err := s.other.Check(); err != nil {
		t.Error(err)
	}
}

// TestCollectEndsWithItsContext: the context's own cause, and nothing removed.
func TestCollectEndsWithItsContext(t *testing.T) {
	for _, prepare := range []func(*scene){remains, func(s *scene) {
		used(s)
		must(s.w.disk.MkdirAll(rootPath+"/"+protocol.CandidateName(idB), 0o755))
	}} {
		s := newScene(verb{prepare: prepare}, plain)
		root := s.w.open(s.a)
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(s.a.ctx)
		cancel(enough)
		before := s.w.disk.Dump()
		if _, err := retire.Collect(ctx, root, 0); err != enough || s.w.disk.Dump() != before {
			t.Errorf("%v, and it changed something: %t", err, s.w.disk.Dump() != before)
		}
		root.Close()
		s.close()
	}
}

// TestBreakNamelessNeedsNoGuard: a guard that binds everything binds this, too.
func TestBreakNamelessNeedsNoGuard(t *testing.T) {
	s := newScene(verb{format: protocol.TTSC, prepare: guarded}, plain)
	defer s.close()
	must(s.w.disk.RemoveAll(rootPath + "/current/generation"))
	must(s.w.disk.WriteFile(rootPath+"/current/owner.json", ""))
	root := s.w.open(s.a)
	defer root.Close()
	if err := retire.BreakNameless(s.a.ctx, root); !errors.Is(err, retire.ErrQuarantined) {
		t.Error(err)
	}
	must(s.unblock())
	if err := errors.Join(retire.BreakNameless(s.a.ctx, root), s.w.turn(s.a)); err != nil {
		t.Error(err)
	}
}

// TestWithoutNoReplace: a file system that cannot rename without replacing.
func TestWithoutNoReplace(t *testing.T) {
	w := newWorld(plain, protocol.Genlock)
	p := w.process()
	plan := func(op faultfs.Op) error {
		if op.How == "noreplace" {
			return syscall.EINVAL
		}
		return nil
	}
	if err := p.under(plan, func() error { return w.turn(p) }); err != nil {
		t.Error(err)
	}
	// Somebody makes the root a moment earlier: it is theirs, and serves as well.
	w = newWorld(plain, protocol.Genlock)
	p, other := w.process(), w.process()
	first := true
	err := p.under(func(op faultfs.Op) error {
		if op.How == "noreplace" && first {
			first = false
			must(w.turn(other))
		}
		return plan(op)
	}, func() error { return w.turn(p) })
	if err != nil || len(w.litter()) > 0 {
		t.Errorf("%v, left %v", err, w.litter())
	}
}

// TestSharedDirectory: users of one group take turns, reclaim after each other, and
// collect, however narrow their umask is (rule 13).
func TestSharedDirectory(t *testing.T) {
	for _, umask := range []fs.FileMode{0o077, 0o027, 0o002} {
		w := newWorld(plain, protocol.Genlock)
		must(w.disk.Chown(cacheDir, 0, 50))
		must(w.disk.Chmod(cacheDir, 0o775|fs.ModeSetgid))
		var users []*process
		for uid := range uint32(3) {
			users = append(users, w.processOf(memfs.User{UID: 1000 + uid, GID: 50, Umask: umask}))
		}
		for _, p := range users {
			if err := w.turn(p); err != nil {
				t.Errorf("umask %o: %v", umask, err)
			}
		}
		s := &scene{w: w}
		s.take(users[0])
		users[0].kill()
		if err := w.turn(users[1]); err != nil {
			t.Errorf("umask %o: reclaiming another user's: %v", umask, err)
		}
		if left, err := w.leftovers(users[2]); err != nil || len(left) > 0 {
			t.Errorf("umask %o: %v, left %v", umask, err, left)
		}
	}
}

// TestRootMovedWhilePublishing: nobody holds anything in a root that was moved away;
// the lock is taken in the one that is there now.
func TestRootMovedWhilePublishing(t *testing.T) {
	w := newWorld(plain, protocol.Genlock)
	p, operator := w.process(), w.process()
	must(w.turn(operator))
	moved := false
	err := p.under(func(op faultfs.Op) error {
		if strings.HasSuffix(op.To, "/current") && !moved {
			moved = true
			must(operator.fs.Rename(rootPath, "/mine", vfs.Plain))
		}
		return nil
	}, func() error {
		s := &scene{w: w}
		var err error
		if s.lease, err = s.lock().TryAcquire(p.ctx); err != nil {
			return err
		}
		return errors.Join(holds(s), s.lease.Release())
	})
	if err != nil || !moved {
		t.Error(err)
	}
	if w.exists("/mine/current") {
		t.Error("a generation is left in the root that was moved away")
	}
	lease := (&scene{w: w}).take(p)
	must(operator.fs.Rename(rootPath, "/mine too", vfs.Plain))
	if err := lease.Check(); !errors.Is(err, genlock.ErrLost) {
		t.Errorf("moved away while held: %v", err)
	}
	lease.Release()
	if open := p.fs.Descriptors(); len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
}

// TestTenureIsOver: what a lease answers after its release.
func TestTenureIsOver(t *testing.T) {
	w := newWorld(plain, protocol.Genlock)
	p := w.process()
	must(w.turn(p))
	root := w.open(p)
	defer root.Close()
	tenure, err := generation.Publish(p.ctx, root, generation.Intent{})
	must(err)
	if _, err := generation.Publish(p.ctx, root, generation.Intent{}); !errors.Is(err, generation.ErrHeld) {
		t.Errorf("published twice: %v", err)
	}
	if remove, err := tenure.Guard(); remove != nil || err != nil {
		t.Errorf("a guard in our own format: %v", err)
	}
	if _, ok := tenure.Descriptor(); ok {
		t.Error("a descriptor of a model file")
	}
	if err := errors.Join(tenure.Check(), tenure.Release(), tenure.Release()); err != nil {
		t.Error(err)
	}
	if err := tenure.Check(); !errors.Is(err, generation.ErrLost) {
		t.Errorf("after the release: %v", err)
	}
	if err := tenure.Failed(1, "late"); !errors.Is(err, generation.ErrLost) || w.exists(rootPath+"/last.json") {
		t.Errorf("a note after the release: %v", err)
	}
}
