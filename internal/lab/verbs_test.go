package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// apartTool is an artifact on another file system than its lock.
const apartTool = apartDir + "/tool"

// verb is something that a process does with a lock.
type verb struct {
	name   string
	format protocol.Format
	// prepare makes the situation, without faults.
	prepare func(*scene)
	// run acts as a, under faults. It sets scene.lease if a holds afterwards.
	run func(*scene) error
	// legit tells which errors are a truthful outcome whatever the faults.
	legit func(*scene, error) bool
	// done tells whether a success was one.
	done func(*scene) error
	// blocked: b holds all the time, so everybody is refused.
	blocked bool
	// fresh: what prepare made is not durable either when the power is cut.
	fresh bool
	// durable: the artifact is whole also after a power cut.
	durable bool
	// local: on a network file system nothing of it is decided, or only by age.
	local bool
	// once: the verb cannot be repeated in the same scene.
	once bool
}

var verbs = []verb{
	{name: "acquire a new key", run: acquire, done: holds},
	{name: "acquire and release", prepare: used, run: turn, done: isFree},
	{name: "release", prepare: holding, run: release, done: isFree, once: true},
	{name: "release with a claim", prepare: claimed, run: release, done: isComplete, once: true},
	{name: "release after a break", prepare: broken, run: release, legit: isLost, done: never, once: true},
	{name: "try a held lock", prepare: heldByB, run: acquire, legit: isHeld, done: never, blocked: true},
	{name: "wait for a holder", prepare: releasesSoon, run: wait, done: holds},
	{name: "reclaim a dead holder", prepare: abandoned, run: turn, done: isFree},
	{name: "reclaim a finished one", prepare: finished, run: turn, done: isFree},
	{name: "reclaim a foreign one", format: protocol.TTSC, prepare: foreign, run: turn, done: isFree, local: true},
	{name: "reclaim in a lower layer", prepare: inLowerLayer, run: turn, done: isFree},
	{name: "respect a guard", format: protocol.TTSC, prepare: guarded, run: turn, legit: isHeld, done: never, blocked: true, local: true},
	{name: "take an empty current", prepare: emptyCurrent, run: turn, done: isFree},
	{name: "take over debris", prepare: debris, run: turn, done: isFree},
	{name: "stage and publish", prepare: used, run: publish(toolPath, false), done: isBuilt(toolPath)},
	{name: "replace an artifact", prepare: built(toolPath), run: publish(toolPath, true), done: isBuilt(toolPath)},
	{name: "publish durably", prepare: built(toolPath), run: publish(toolPath, true), done: isBuilt(toolPath), durable: true},
	{name: "publish across devices", prepare: built(apartTool), run: publish(apartTool, true), done: isBuilt(apartTool)},
	{name: "note a failure", prepare: used, run: fail, done: isNoted(protocol.OutcomeFailed)},
	{name: "break a live holder", prepare: heldByB, run: breakOther, legit: isMoved, done: isNoted(protocol.OutcomeBroken)},
	{name: "break in a lower layer", prepare: aliveInLowerLayer, run: breakOther, legit: isMoved, done: isNoted(protocol.OutcomeBroken)},
	{name: "collect", prepare: remains, run: collect, done: isTidy, local: true},
	{name: "status", prepare: heldByB, run: status, done: isSeenHeld, blocked: true},
}

// --- situations ---------------------------------------------------------------

func used(s *scene) { must(s.w.turn(s.b)) }

func holding(s *scene) { s.lease = s.take(s.a) }

func heldByB(s *scene) { s.other = s.take(s.b) }

func claimed(s *scene) {
	holding(s)
	var err error
	s.claim, err = fence.Claim(s.b.ctx, s.w.open(s.b), s.id)
	must(err)
}

func broken(s *scene) {
	holding(s)
	must(breakAs(s, s.b, s.id))
}

func abandoned(s *scene) {
	heldByB(s)
	s.b.kill()
}

// finished: b could not retire its generation and marked it instead.
func finished(s *scene) {
	heldByB(s)
	must(s.w.disk.MkdirAll(rootPath+"/retired/"+string(s.id)+"/x", 0o755))
	if err := s.other.Release(); err == nil {
		panic("a release that cannot work did")
	}
	must(s.w.disk.RemoveAll(rootPath + "/retired/" + string(s.id)))
	s.other = nil
}

// foreign: a generation as other programs write it, of a process that is gone.
func foreign(s *scene) {
	used(s)
	s.id = "0123456789abcdef0123456789abcdef"
	dir := rootPath + "/" + protocol.CurrentName + "/"
	must(s.w.disk.WriteFile(dir+protocol.GenerationName, string(s.id)+"\n"))
	must(s.w.disk.WriteFile(dir+protocol.RecordName, foreignRecord(s.id, 4711)))
}

func inLowerLayer(s *scene) {
	abandoned(s)
	must(s.w.disk.MarkLower(rootPath + "/" + protocol.CurrentName))
}

func aliveInLowerLayer(s *scene) {
	heldByB(s)
	must(s.w.disk.MarkLower(rootPath + "/" + protocol.CurrentName))
}

// guarded: a command of a foreign holder that is gone may still run.
func guarded(s *scene) {
	foreign(s)
	guard := rootPath + "/" + protocol.GuardsName + "/" + plantedGuard.Name()
	must(s.w.disk.WriteFile(guard, guardText(protocol.GuardPending)))
	s.unblock = func() error { return s.w.disk.RemoveAll(guard) }
}

func emptyCurrent(s *scene) {
	used(s)
	must(s.w.disk.MkdirAll(rootPath+"/"+protocol.CurrentName, 0o755))
}

func debris(s *scene) {
	used(s)
	must(s.w.disk.WriteFile(rootPath+"/"+protocol.CurrentName+"/"+protocol.StageName(idA)+"/tool", "half"))
}

func foreignRecord(id protocol.ID, pid int) string {
	return fmt.Sprintf(`{"generation":%q,"completionNonce":"fedcba9876543210fedcba9876543210","hostname":"vm","pid":%d,`+
		`"startedAt":"2026-03-01T11:59:00.000Z"}`, id, pid)
}

func releasesSoon(s *scene) {
	heldByB(s)
	sleeps := 0
	s.w.clock.setOnSleep(func() {
		if sleeps++; sleeps == 3 {
			s.w.clock.setOnSleep(nil)
			must(s.other.Release())
		}
	})
}

func built(path string) func(*scene) {
	return func(s *scene) {
		used(s)
		must(s.w.disk.WriteFile(path, "old"))
	}
}

// remains: what crashes leave. A tombstone with the claim of a dead observer in
// it, a candidate with a witness and one without, a claim in flight.
func remains(s *scene) {
	claimed(s)
	must(s.lease.Release())
	s.lease = nil
	s.b.kill()
	for range 2 {
		p := s.w.process()
		p.under(killAfter(p, 10), func() error { return s.w.turn(p) })
	}
	must(s.w.disk.MkdirAll(rootPath+"/"+protocol.CandidateName(s.id), 0o755))
	holder := s.w.process()
	s.take(holder)
	holder.kill()
	late := s.w.process()
	_, err := fence.Claim(late.ctx, s.w.open(late), s.id)
	must(err)
	late.kill()
	must(s.w.turn(s.a))
	s.w.clock.advance(24 * time.Hour)
}

// --- acts -----------------------------------------------------------------------

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
	}
	return err
}

// --- what is true afterwards ------------------------------------------------------

func isSeenHeld(s *scene) error {
	if s.seen.State != observer.Held || s.seen.Generation != s.id {
		return fmt.Errorf("status says %s, generation %q: %s", s.seen.State, s.seen.Generation, s.seen.Evidence)
	}
	return nil
}

func never(*scene) error { return errors.New("it succeeded, which cannot be") }

func holds(s *scene) error {
	if err := s.lease.Check(); err != nil {
		return err
	}
	if id := s.w.currentID(); id != s.lease.Generation() {
		return fmt.Errorf("a lease on %s, but current is %q", s.lease.Generation(), id)
	}
	return nil
}

func isFree(s *scene) error {
	if id := s.w.currentID(); id != "" {
		return fmt.Errorf("released, but %s is current", id)
	}
	return nil
}

func isComplete(s *scene) error {
	if !s.w.exists(rootPath + "/retired/" + string(s.id)) {
		return errors.New("the tombstone is gone although somebody has a claim")
	}
	return isFree(s)
}

func isBuilt(path string) func(*scene) error {
	return func(s *scene) error {
		if text, err := s.w.disk.ReadFile(path); err != nil || text != "new" {
			return fmt.Errorf("published, but the artifact reads %q, %v", text, err)
		}
		return isFree(s)
	}
}

func isNoted(outcome string) func(*scene) error {
	return func(s *scene) error {
		text, _ := s.w.disk.ReadFile(rootPath + "/" + protocol.LastName)
		last, ok := protocol.ParseLast([]byte(text))
		if !ok || last.Generation != s.id || last.Outcome != outcome {
			return fmt.Errorf("noted, but last.json reads %q", text)
		}
		return isFree(s)
	}
}

func isTidy(s *scene) error {
	if left := s.w.litter(); len(left) > 0 {
		return fmt.Errorf("collected, but there is %v", left)
	}
	return nil
}

// --- truthful outcomes ---------------------------------------------------------------

func isLost(_ *scene, err error) bool { return errors.Is(err, genlock.ErrLost) }

func isMoved(s *scene, err error) bool {
	return errors.Is(err, fence.ErrMoved) && s.w.currentID() != s.id
}

// isHeld accepts that b holds, with b's name, when it does.
func isHeld(s *scene, err error) bool {
	var held *genlock.HeldError
	return errors.As(err, &held) && held.Seen != nil && held.Seen.Generation == s.id &&
		held.Cause == nil && !errors.Is(err, context.DeadlineExceeded)
}
