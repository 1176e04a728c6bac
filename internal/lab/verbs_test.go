package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// apartTool is an artifact on another file system than its lock.
const apartTool = apartDir + "/tool"

// verb is something that a process does with a lock.
type verb struct {
	name   string
	format protocol.Format
	// dialects of old programs that everybody looks for; hold takes their locks.
	dialects string
	hold     bool
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

var verbs = slices.Concat(ownVerbs, oldVerbs)

var ownVerbs = []verb{
	{name: "acquire a new key", run: acquire, done: holds},
	{name: "acquire and release", prepare: used, run: turn, done: isFree},
	{name: "recycle", prepare: turning, run: turnAndRest, done: isFree},
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
